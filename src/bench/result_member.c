#include "bench/result_member.h"

#include <math.h>

#include "base/mem.h"

int member_str(const cJSON *o, const char *name, enum need need, char **out, struct err *err)
{
    const cJSON *v = json_get(o, name);
    if (v == NULL && need == OPTIONAL) {
        return 0;
    }
    if (v == NULL || !cJSON_IsString(v) || (need == REQUIRED && v->valuestring[0] == '\0')) {
        return err_set(err, ERR_USAGE, "\"%s\" %s", name,
                       v == NULL ? "is missing" : "must be a text");
    }
    *out = mem_strdup(v->valuestring);
    return 0;
}

int member_num(const cJSON *o, const char *name, enum need need, double most, double *out,
               struct err *err)
{
    const cJSON *v = json_get(o, name);
    if (v == NULL && need == OPTIONAL) {
        return 0;
    }
    if (v == NULL || !cJSON_IsNumber(v) || !(v->valuedouble >= 0) || v->valuedouble > most) {
        return v == NULL
                   ? err_set(err, ERR_USAGE, "\"%s\" is missing", name)
                   : err_set(err, ERR_USAGE, "\"%s\" must be a number from 0 to %g", name, most);
    }
    *out = v->valuedouble;
    return 0;
}

int member_u64(const cJSON *o, const char *name, uint64_t *out, struct err *err)
{
    double v = 0;
    if (member_num(o, name, OPTIONAL, RESULT_INTEGER_MAX, &v, err) < 0) {
        return -1;
    }
    if (v != floor(v)) {
        return err_set(err, ERR_USAGE, "\"%s\" must be a whole number", name);
    }
    *out = (uint64_t)v;
    return 0;
}

int member_bool(const cJSON *o, const char *name, bool *out, struct err *err)
{
    const cJSON *v = json_get(o, name);
    if (v != NULL && !cJSON_IsBool(v)) {
        return err_set(err, ERR_USAGE, "\"%s\" must be true or false", name);
    }
    *out = cJSON_IsTrue(v);
    return 0;
}

/* A copy of an object; what stood in *out is replaced. */
int member_object(const cJSON *o, const char *name, cJSON **out, struct err *err)
{
    const cJSON *v = json_get(o, name);
    if (v == NULL) {
        return 0;
    }
    if (!cJSON_IsObject(v)) {
        return err_set(err, ERR_USAGE, "\"%s\" must be an object", name);
    }
    cJSON_Delete(*out);
    *out = mem_checked(cJSON_Duplicate(v, true));
    return 0;
}

/* An object whose members are objects: clients, servers, networks. */
int member_group(const cJSON *o, const char *name, cJSON **out, struct err *err)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, json_get(o, name))
    {
        if (!cJSON_IsObject(v)) {
            return err_set(err, ERR_USAGE, "each member of \"%s\" must be an object", name);
        }
    }
    return member_object(o, name, out, err);
}

/* A list of objects, or one that is missing (*list NULL). */
int member_list(const cJSON *o, const char *name, enum need need, const cJSON **list,
                struct err *err)
{
    *list = json_get(o, name);
    if (*list == NULL ? need == REQUIRED : !cJSON_IsArray(*list)) {
        return err_set(err, ERR_USAGE, "\"%s\" %s", name,
                       *list == NULL ? "is missing" : "must be a list");
    }
    return 0;
}
