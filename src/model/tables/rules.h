// The rules of the CRDs (API-40 ff.), each with its message, its CEL text and the same condition in
// C. They are in rules_labels.c, rules_requirements.c, rules_karpenter.c and
// rules_ec2_node_class.c; the tables point to them.
#pragma once

#include "model/schema/type.h"

// --- label and requirement keys: the domains reserved for the controllers
// -------------------------
extern const struct rule rules_template_labels[4];  // API-40, at a map of labels
extern const struct rule rules_node_pool_key[4];    // API-45, at a requirement's key
extern const struct rule rules_node_claim_key[3];   // API-58
extern const struct rule rules_node_overlay_key[3]; // API-68

// --- lists of requirements -----------------------------------------------------------------------
extern const struct rule rules_requirements[3];         // API-44, API-59
extern const struct rule rules_overlay_requirements[3]; // API-69

// --- NodePool, NodeClaim, NodeOverlay, CapacityBuffer --------------------------------------------
extern const struct rule rules_group_not_empty[1], rules_kind_not_empty[1], rules_name_not_empty[1];
extern const struct rule rules_node_class_ref[2];       // API-43
extern const struct rule rules_budgets[1];              // API-46
extern const struct rule rules_node_pool_spec[3];       // API-48
extern const struct rule rules_node_claim_spec[1];      // API-59
extern const struct rule rules_overlay_capacity[1];     // API-69
extern const struct rule rules_overlay_spec[1];         // API-69
extern const struct rule rules_capacity_buffer_spec[2]; // API-78

// --- EC2NodeClass --------------------------------------------------------------------------------
extern const struct rule rules_selector_tags[1];              // API-86
extern const struct rule rules_alias[3];                      // API-87
extern const struct rule rules_ami_terms[4];                  // API-88
extern const struct rule rules_subnet_terms[3];               // API-89
extern const struct rule rules_security_group_terms[4];       // API-89
extern const struct rule rules_capacity_reservation_terms[2]; // API-89
extern const struct rule rules_ec2_spec[8];                   // API-90
extern const struct rule rules_block_device_mappings[1];      // API-91
extern const struct rule rules_ebs[2];                        // API-92
extern const struct rule rules_connection_tracking[1];        // API-94
extern const struct rule rules_network_interfaces[2];         // API-95
extern const struct rule rules_placement_group[2];            // API-96
extern const struct rule rules_tags[6];                       // API-97
extern const struct rule rules_role[1], rules_instance_profile[1];

#define RULES(array) .rules = array, .rules_count = sizeof(array) / sizeof((array)[0])
#define ITEM_RULES(array) \
    .item_rules = array, .item_rules_count = sizeof(array) / sizeof((array)[0])
