// The fields of a kind are a word: name{...} an object, name[...] a list of objects, name* a list
// of scalars, name% a map of texts.
#include "cli/convert/indentation.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FRAMES_MAX 24
#define KEYS_MAX   64 // of one object

#define REQUIREMENTS "requirements[key operator values* minValues]"
#define TAINTS       "taints[key value effect] startupTaints[key value effect]"
#define METADATA     "metadata{name namespace labels% annotations%} "
#define KUBELET_FIELDS                                                                 \
    "{clusterDNS* containerRuntime maxPods podsPerCore systemReserved% kubeReserved% " \
    "evictionHard% evictionSoft% evictionSoftGracePeriod% evictionMaxPodGracePeriod "  \
    "imageGCHighThresholdPercent imageGCLowThresholdPercent cpuCFSQuota} "
#define VOLUMES                                                                            \
    "blockDeviceMappings[deviceName rootVolume ebs{volumeSize volumeType iops throughput " \
    "encrypted kmsKeyID snapshotID deleteOnTermination volumeInitializationRate}] "
#define CLASS                                                                    \
    "amiFamily userData role instanceProfile tags% context detailedMonitoring "  \
    "associatePublicIPAddress instanceStorePolicy metadataOptions{httpEndpoint " \
    "httpProtocolIPv6 httpPutResponseHopLimit httpTokens} kubelet" KUBELET_FIELDS VOLUMES
#define TERMS                                                                                 \
    "amiSelectorTerms[alias id name owner ssmParameter tags%] subnetSelectorTerms[id tags%] " \
    "securityGroupSelectorTerms[id name tags%] capacityReservationSelectorTerms[id ownerID "  \
    "tags%] "
#define SELECTORS "amiSelector% subnetSelector% securityGroupSelector% launchTemplate "

static const char *const kinds[][2] = {
    {"NodePool",
     "apiVersion kind " METADATA
     "spec{weight replicas limits{resources% cpu memory nodes ephemeral-storage pods} "
     "disruption{consolidationPolicy consolidateAfter expireAfter budgets[nodes schedule duration "
     "reasons*]} template{metadata{labels% annotations%} spec{expireAfter terminationGracePeriod "
     "nodeClassRef{apiVersion group kind name} kubelet" KUBELET_FIELDS REQUIREMENTS " " TAINTS
     "}}}"},
    {"Provisioner", "apiVersion kind " METADATA
                    "spec{labels% annotations% weight limits{resources%} consolidation{enabled} "
                    "ttlSecondsAfterEmpty ttlSecondsUntilExpired providerRef{apiVersion kind name} "
                    "kubeletConfiguration" KUBELET_FIELDS "provider{" CLASS SELECTORS
                    "} " REQUIREMENTS " " TAINTS "}"},
    {"EC2NodeClass", "apiVersion kind " METADATA "spec{" CLASS TERMS "}"},
    {"AWSNodeTemplate", "apiVersion kind " METADATA "spec{" CLASS SELECTORS "}"},
    {"NodeClass", "apiVersion kind " METADATA
                  "spec{role instanceProfile tags% snatPolicy networkPolicy networkPolicyEventLogs "
                  "ephemeralStorage{size iops throughput kmsKeyID} " TERMS "}"},
};

struct frame {
    const char *fields; // the text inside the brackets; "": none; NULL: a map of texts
    char bracket;       // '{', '[', '*' or '%'
    int depth;          // of its keys or dashes
    const char *seen[KEYS_MAX];
    size_t seen_length[KEYS_MAX];
    uint32_t seen_count;
    bool is_item;
};
struct restoring {
    struct frame frames[FRAMES_MAX];
    uint32_t count;
    bool in_text; // of a block scalar
    struct text *out;
};

// --- fields --------------------------------------------------------------------------------------
static const char *skip_brackets(const char *at)
{
    if (*at == '*' || *at == '%')
        return at + 1;
    if (*at != '{' && *at != '[')
        return at;
    int depth = 0;
    do {
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (depth > 0 && *at != '\0');
    return at;
}

// The bracket after the field of that name ('\0' for a scalar), and the text inside; false: no such
// field.
static bool find_field(const char *fields, const char *key, size_t length, char *bracket,
                       const char **inside)
{
    const char *at = fields;
    while (*at != '\0' && *at != '}' && *at != ']') {
        while (*at == ' ')
            at++;
        size_t size = strcspn(at, " {}[]*%");
        const char *after = at + size;
        if (size == length && size > 0 && memcmp(at, key, length) == 0) {
            *bracket = strchr("{[*%", *after) != NULL && *after != '\0' ? *after : '\0';
            *inside = *bracket == '{' || *bracket == '[' ? after + 1 : "";
            return true;
        }
        at = skip_brackets(after);
        if (size == 0 && *at != ' ')
            break;
    }
    return false;
}

static bool was_seen(const struct frame *frame, const char *key, size_t length)
{
    for (uint32_t i = 0; i < frame->seen_count; i++)
        if (frame->seen_length[i] == length && memcmp(frame->seen[i], key, length) == 0)
            return true;
    return false;
}

// Whether the key belongs to the frame as one of its fields.
static bool frame_has(const struct frame *frame, const char *key, size_t length)
{
    char bracket;
    const char *inside;
    return frame->bracket == '{' && !was_seen(frame, key, length) &&
           find_field(frame->fields, key, length, &bracket, &inside);
}

// The frame for a key: the deepest that has it, or a map of texts on top if none has.
static int frame_for(const struct restoring *restoring, const char *key, size_t length)
{
    for (int i = (int)restoring->count - 1; i >= 0; i--)
        if (frame_has(&restoring->frames[i], key, length))
            return i;
    const struct frame *top = &restoring->frames[restoring->count - 1];
    bool takes_any = top->bracket == '%' || (top->bracket == '{' && restoring->count > 1 &&
                                             strstr(top->fields, "resources%") == top->fields);
    return takes_any && !was_seen(top, key, length) ? (int)restoring->count - 1 : -1;
}

// --- writing -------------------------------------------------------------------------------------
static void indent(struct restoring *restoring, int depth)
{
    for (int i = 0; i < depth; i++)
        text_add(restoring->out, "  ");
}

static void mark_seen(struct frame *frame, const char *key, size_t length)
{
    if (frame->seen_count == KEYS_MAX)
        return;
    frame->seen[frame->seen_count] = key;
    frame->seen_length[frame->seen_count++] = length;
}

static bool push(struct restoring *restoring, const char *fields, char bracket, int depth)
{
    if (restoring->count == FRAMES_MAX)
        return false;
    struct frame *frame = &restoring->frames[restoring->count++];
    *frame = (struct frame){.fields = fields, .bracket = bracket, .depth = depth};
    return true;
}

// The length of the key before a colon; 0: the line has none.
static size_t key_length(const char *line, size_t length)
{
    char quote = length > 0 && (line[0] == '"' || line[0] == '\'') ? line[0] : '\0';
    size_t at = quote != '\0';
    while (at < length &&
           (quote != '\0' ? line[at] != quote : strchr(" {}[],#\"'", line[at]) == NULL)) {
        if (quote == '\0' && line[at] == ':' && (at + 1 == length || line[at + 1] == ' '))
            return at;
        at++;
    }
    return quote != '\0' && at + 1 < length && line[at + 1] == ':' ? at + 1 : 0;
}

static bool is_block_scalar(const char *rest, size_t length)
{
    return length > 0 && (rest[0] == '|' || rest[0] == '>');
}

// A line "key: value" or "key:"; the frames above the key's own are closed.
static bool add_key(struct restoring *restoring, const char *line, size_t length, bool after_dash)
{
    size_t size = key_length(line, length);
    int at = size > 0 ? frame_for(restoring, line, size) : -1;
    if (at < 0)
        return false;
    restoring->count = (uint32_t)at + 1;
    struct frame *frame = &restoring->frames[at];
    char bracket = '\0';
    const char *inside = "", *rest = line + size + 1;
    size_t left = length - size - 1;
    while (left > 0 && *rest == ' ')
        rest++, left--;
    bool is_known =
        frame->bracket == '{' && find_field(frame->fields, line, size, &bracket, &inside);
    mark_seen(frame, line, size);
    if (!after_dash)
        indent(restoring, frame->depth);
    text_add_bytes(restoring->out, line, length);
    text_add_char(restoring->out, '\n');
    restoring->in_text = is_block_scalar(rest, left);
    bool opens = left == 0 || rest[0] == '#';
    return !is_known || !opens || bracket == '\0' ||
           push(restoring, inside, bracket, frame->depth + 1);
}

static bool add_dash(struct restoring *restoring, const char *line, size_t length)
{
    size_t size = key_length(line, length);
    char bracket;
    const char *inside;
    for (int i = (int)restoring->count - 1; i >= 0; i--) {
        struct frame *frame = &restoring->frames[i];
        bool object = frame->bracket == '[' &&
                      (length == 0 || *line == '{' ||
                       (size > 0 && find_field(frame->fields, line, size, &bracket, &inside)));
        bool scalar = frame->bracket == '*' && size == 0;
        if (!object && !scalar)
            continue;
        restoring->count = (uint32_t)i + 1;
        indent(restoring, frame->depth);
        text_add(restoring->out, "- ");
        if (object && size > 0)
            return push(restoring, frame->fields, '{', frame->depth + 1) &&
                   add_key(restoring, line, length, true);
        text_add_bytes(restoring->out, line, length);
        text_add_char(restoring->out, '\n');
        return true;
    }
    return false;
}

// A line of a block scalar; false: the scalar has ended before it.
static bool add_text_line(struct restoring *restoring, const char *line, size_t length)
{
    size_t size = key_length(line, length);
    if (size > 0 && frame_for(restoring, line, size) >= 0 && strchr("{", *line) == NULL) {
        const struct frame *frame = &restoring->frames[frame_for(restoring, line, size)];
        if (frame->bracket == '{')
            return restoring->in_text = false;
    }
    indent(restoring, restoring->frames[restoring->count - 1].depth + 1);
    text_add_bytes(restoring->out, line, length);
    text_add_char(restoring->out, '\n');
    return true;
}

static bool add_line(struct restoring *restoring, const char *line, size_t length)
{
    while (length > 0 && isspace((unsigned char)*line))
        line++, length--;
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    if (restoring->in_text && add_text_line(restoring, line, length))
        return true;
    if (length == 0 || *line == '#')
        return true;
    if (*line != '-' || (length > 1 && line[1] != ' '))
        return add_key(restoring, line, length, false);
    do {
        line++, length--;
    } while (length > 0 && *line == ' ');
    return add_dash(restoring, line, length);
}

static const char *fields_of(const char *text, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "kind: %s\n", kinds[i][0]);
        if (memmem(text, length, wanted, strlen(wanted)) != NULL)
            return kinds[i][1];
    }
    return NULL;
}

bool indentation_restore(const char *text, size_t length, struct text *out)
{
    const char *fields = fields_of(text, length), *at = text, *end = text + length;
    struct restoring *restoring = memory_allocate(sizeof *restoring);
    bool fine = fields != NULL;
    restoring->out = out;
    push(restoring, fields, '{', 0);
    while (fine && at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const char *stop = feed != NULL ? feed : end;
        fine = add_line(restoring, at, (size_t)(stop - at));
        at = feed != NULL ? feed + 1 : end;
    }
    free(restoring);
    return fine;
}
