#include "bench/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DEPTH_MAX 8

/* A leaf of _stats is {"value":…,"type":"counter"|"gauge"|"histogram",…}: only counters add up. */
static const cJSON *leaf_value(const cJSON *node)
{
    const char *type = json_str(node, "type", NULL);
    const cJSON *value = json_get(node, "value");
    if (cJSON_IsNumber(node)) {
        return node;
    }
    return type != NULL && strcmp(type, "counter") == 0 && cJSON_IsNumber(value) ? value : NULL;
}

static void walk(const cJSON *before, const cJSON *after, const char *path, int depth, cJSON *out)
{
    const cJSON *child;
    if (depth == DEPTH_MAX || json_str(after, "type", NULL) != NULL) {
        return; /* another kind of leaf */
    }
    cJSON_ArrayForEach(child, after)
    {
        if (child->string == NULL) {
            continue;
        }
        const cJSON *old = json_get(before, child->string);
        const cJSON *now = leaf_value(child), *then = leaf_value(old);
        char *name = mem_printf("%s%s%s", path, path[0] ? "." : "", child->string);
        if (now != NULL && then != NULL) {
            if (now->valuedouble != then->valuedouble) {
                json_add_num(out, name, now->valuedouble - then->valuedouble);
            }
        } else if (now == NULL && cJSON_IsObject(child) && cJSON_IsObject(old)) {
            walk(old, child, name, depth + 1, out);
        }
        free(name);
    }
}

cJSON *change_of(const cJSON *before, const cJSON *after)
{
    static const char *const parts[] = {"stats", "system"};
    cJSON *change = NULL;
    for (size_t i = 0; i < 2; i++) {
        const cJSON *old = json_get(before, parts[i]), *now = json_get(after, parts[i]);
        if (old != NULL && now != NULL) {
            change = change != NULL ? change : json_object();
            walk(old, now, "", 0, json_add(change, parts[i], json_object()));
        }
    }
    return change;
}
