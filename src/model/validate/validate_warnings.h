// Warnings about fields that are admitted but probably wrong (API-313, GUI-8 to 12): NodePools,
// NodeClaims, NodeOverlays, CapacityBuffers. EC2NodeClasses are in validate_warnings_ec2.c, several
// objects together in validate_set.c.
#pragma once

#include "model/validate/validation.h"

// Run-time rejections and warnings of the prepared object.
void warn_node_pool(struct validation *validation, const json_t *object);
void warn_node_claim(struct validation *validation, const json_t *object);
void warn_node_overlay(struct validation *validation, const json_t *object);
void warn_capacity_buffer(struct validation *validation, const json_t *object);
void warn_texts(struct validation *validation, const json_t *object); // every kind: GUI-11
