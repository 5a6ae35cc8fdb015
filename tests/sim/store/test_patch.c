// Patch formats: RFC 7386, RFC 6902 and Kubernetes' strategic merge patch.
#include "sim/store_helpers.h"

#include "sim/store/patch.h"

struct vector_of_test {
    const char *object, *patch, *result; // result NULL: refused
};

static void run(const char *type, const struct vector_of_test *vectors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_of(vectors[i].object), *patch = json_of(vectors[i].patch);
        json_t *before = json_deep_copy(object);
        struct failure failure = {0};
        json_t *result = patch_apply(type, object, patch, &failure);
        if (vectors[i].result == NULL) {
            if (result != NULL)
                fail_msg("%s was not refused", vectors[i].patch);
            assert_int_not_equal(failure.code, 0);
        } else {
            if (result == NULL)
                fail_msg("%s: %s", vectors[i].patch, failure.message);
            assert_json(result, vectors[i].result);
        }
        assert_true(json_equal(object, before)); // never changed
        failure_clear(&failure);
        json_decref(object);
        json_decref(before);
        json_decref(patch);
        json_decref(result);
    }
}

// The test cases of RFC 7386, appendix A, as far as the patch is an object.
static void merge_patch_RFC_7386(void **state)
{
    (void)state;
    static const struct vector_of_test vectors[] = {
        {"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
        {"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
        {"{'a':'b'}", "{'a':null}", "{}"},
        {"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
        {"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
        {"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
        {"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
        {"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
        {"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
        {"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
        {"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"},
        {"{'a':1}", "[]", NULL},
    };
    run("merge", vectors, ARRAY_LENGTH(vectors));
}

// The examples of RFC 6902, appendix A, and the edges of RFC 6901.
static void json_patch_RFC_6902(void **state)
{
    (void)state;
    static const struct vector_of_test vectors[] = {
        {"{'foo':'bar'}", "[{'op':'add','path':'/baz','value':'qux'}]",
         "{'baz':'qux','foo':'bar'}"},
        {"{'foo':['bar','baz']}", "[{'op':'add','path':'/foo/1','value':'qux'}]",
         "{'foo':['bar','qux','baz']}"},
        {"{'baz':'qux','foo':'bar'}", "[{'op':'remove','path':'/baz'}]", "{'foo':'bar'}"},
        {"{'foo':['bar','qux','baz']}", "[{'op':'remove','path':'/foo/1'}]",
         "{'foo':['bar','baz']}"},
        {"{'baz':'qux','foo':'bar'}", "[{'op':'replace','path':'/baz','value':'boo'}]",
         "{'baz':'boo','foo':'bar'}"},
        {"{'foo':{'bar':'baz','waldo':'fred'},'qux':{'corge':'grault'}}",
         "[{'op':'move','from':'/foo/waldo','path':'/qux/thud'}]",
         "{'foo':{'bar':'baz'},'qux':{'corge':'grault','thud':'fred'}}"},
        {"{'foo':['all','grass','cows','eat']}", "[{'op':'move','from':'/foo/1','path':'/foo/3'}]",
         "{'foo':['all','cows','eat','grass']}"},
        {"{'baz':'qux','foo':['a',2,'c']}",
         "[{'op':'test','path':'/baz','value':'qux'},{'op':'test','path':'/foo/1','value':2}]",
         "{'baz':'qux','foo':['a',2,'c']}"},
        {"{'baz':'qux'}", "[{'op':'test','path':'/baz','value':'bar'}]", NULL},
        {"{'foo':'bar'}", "[{'op':'add','path':'/child','value':{'grandchild':{}}}]",
         "{'foo':'bar','child':{'grandchild':{}}}"},
        {"{'foo':'bar'}", "[{'op':'add','path':'/baz/bat','value':'qux'}]", NULL},
        {"{'/':9,'~1':10}", "[{'op':'test','path':'/~01','value':10}]", "{'/':9,'~1':10}"},
        {"{'foo':['bar']}", "[{'op':'add','path':'/foo/-','value':['abc','def']}]",
         "{'foo':['bar',['abc','def']]}"},
        {"{'a':{'b':1}}", "[{'op':'copy','from':'/a','path':'/c'}]", "{'a':{'b':1},'c':{'b':1}}"},
        {"{'a':{'b':1}}", "[{'op':'move','from':'/a','path':'/a/c'}]", NULL},
        {"{'a':1}", "[{'op':'replace','path':'/b','value':1}]", NULL},
        {"{'a':1}", "[{'op':'remove','path':'/b'}]", NULL},
        {"{'a':[1]}", "[{'op':'add','path':'/a/5','value':1}]", NULL},
        {"{'a':[1]}", "[{'op':'replace','path':'/a/-','value':1}]", NULL},
        {"{'a':[1]}", "[{'op':'remove','path':'/a/00'}]", NULL},
        {"{'a':1}", "[{'op':'test','path':'/a','value':1.0}]", "{'a':1}"},
        {"{'a':1}", "[{'op':'add','path':'','value':{'b':2}}]", "{'b':2}"},
        {"{'a':1}", "[{'op':'fly','path':'/a'}]", NULL},
        {"{'a':1}", "[{'op':'add','path':'/a'}]", NULL},
        {"{'a':1}", "[{'op':'add','path':'a','value':1}]", NULL},
        {"{'a':1}", "[7]", NULL},
        {"{'a':1}", "{}", NULL},
    };
    run("json", vectors, ARRAY_LENGTH(vectors));
}

#define POD(list) "{'spec':{'containers':" list "}}"

static void strategic_lists_merge_by_key(void **state)
{
    (void)state;
    static const struct vector_of_test vectors[] = {
        {POD("[{'name':'a','image':'1'},{'name':'b','image':'1'}]"),
         POD("[{'name':'b','image':'2'}]"),
         POD("[{'name':'a','image':'1'},{'name':'b','image':'2'}]")},
        // New elements come before those of the server alone.
        {POD("[{'name':'a'}]"), POD("[{'name':'n'}]"), POD("[{'name':'n'},{'name':'a'}]")},
        {POD("[{'name':'a','ports':[{'containerPort':80,'name':'x'}]}]"),
         POD("[{'name':'a','ports':[{'containerPort':80,'name':'y'}]}]"),
         POD("[{'name':'a','ports':[{'containerPort':80,'name':'y'}]}]")},
        {POD("[{'name':'a','env':[{'name':'A','value':'1'},{'name':'B','value':'1'}]}]"),
         POD("[{'name':'a','env':[{'name':'B','value':'2'}]}]"),
         POD("[{'name':'a','env':[{'name':'A','value':'1'},{'name':'B','value':'2'}]}]")},
        {POD("[{'name':'a','volumeMounts':[{'mountPath':'/x','name':'v'}]}]"),
         POD("[{'name':'a','volumeMounts':[{'mountPath':'/x','readOnly':true}]}]"),
         POD("[{'name':'a','volumeMounts':[{'mountPath':'/x','name':'v','readOnly':true}]}]")},
        // Atomic lists are replaced: arguments, tolerations, taints.
        {POD("[{'name':'a','args':['1','2']}]"), POD("[{'name':'a','args':['3']}]"),
         POD("[{'name':'a','args':['3']}]")},
        {"{'spec':{'tolerations':[{'key':'a'}]}}", "{'spec':{'tolerations':[{'key':'b'}]}}",
         "{'spec':{'tolerations':[{'key':'b'}]}}"},
        {"{'spec':{'taints':[{'key':'a'}]}}", "{'spec':{'taints':[]}}", "{'spec':{'taints':[]}}"},
        {"{'status':{'conditions':[{'type':'A','status':'True'},{'type':'B','status':'True'}]}}",
         "{'status':{'conditions':[{'type':'B','status':'False'}]}}",
         "{'status':{'conditions':[{'type':'A','status':'True'},{'type':'B','status':'False'}]}}"},
        {"{'metadata':{'finalizers':['a','b']}}", "{'metadata':{'finalizers':['b','c']}}",
         "{'metadata':{'finalizers':['a','b','c']}}"},
        {"{'spec':{'ports':[{'port':80,'name':'x'},{'port':81}]}}",
         "{'spec':{'ports':[{'port':80,'name':'y'}]}}",
         "{'spec':{'ports':[{'port':80,'name':'y'},{'port':81}]}}"},
        {POD("[{'name':'a'}]"), POD("[{'image':'without a name'}]"), NULL},
    };
    run("strategic", vectors, ARRAY_LENGTH(vectors));
}

static void strategic_directives(void **state)
{
    (void)state;
    static const struct vector_of_test vectors[] = {
        {POD("[{'name':'a'},{'name':'b'}]"), POD("[{'$patch':'delete','name':'a'}]"),
         POD("[{'name':'b'}]")},
        {POD("[{'name':'a'},{'name':'b'}]"), POD("[{'$patch':'replace'},{'name':'c'}]"),
         POD("[{'name':'c'}]")},
        {"{'spec':{'a':1,'b':2}}", "{'spec':{'$patch':'replace','c':3}}", "{'spec':{'c':3}}"},
        {"{'spec':{'a':1},'x':1}", "{'spec':{'$patch':'delete'}}", "{'x':1}"},
        {"{'spec':{'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':1}}}}",
         "{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}}",
         "{'spec':{'strategy':{'type':'Recreate'}}}"},
        {"{'metadata':{'finalizers':['a','b','c']}}",
         "{'metadata':{'$deleteFromPrimitiveList/finalizers':['b']}}",
         "{'metadata':{'finalizers':['a','c']}}"},
        {"{'metadata':{'finalizers':['a','b']}}",
         "{'metadata':{'$setElementOrder/finalizers':['b','a']}}",
         "{'metadata':{'finalizers':['b','a']}}"},
        {POD("[{'name':'a'},{'name':'b'}]"),
         "{'spec':{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}],"
         "'containers':[{'name':'b','image':'x'}]}}",
         POD("[{'name':'b','image':'x'},{'name':'a'}]")},
        // Elements of the server alone keep their place before their successors.
        {POD("[{'name':'server'},{'name':'a'},{'name':'b'}]"),
         "{'spec':{'$setElementOrder/containers':[{'name':'a'},{'name':'b'}],"
         "'containers':[{'name':'a','image':'x'}]}}",
         POD("[{'name':'server'},{'name':'a','image':'x'},{'name':'b'}]")},
        {"{'metadata':{'labels':{'a':'1','b':'2'}}}", "{'metadata':{'labels':{'a':null}}}",
         "{'metadata':{'labels':{'b':'2'}}}"},
        {"{}", "{'spec':{'containers':[{'name':'a','env':[{'$patch':'delete','name':'x'}]}]}}",
         POD("[{'name':'a','env':[]}]")},
        {"{'spec':{}}", "{'spec':{'$patch':'explode'}}", NULL},
    };
    run("strategic", vectors, ARRAY_LENGTH(vectors));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_patch_RFC_7386),
        cmocka_unit_test(json_patch_RFC_6902),
        cmocka_unit_test(strategic_lists_merge_by_key),
        cmocka_unit_test(strategic_directives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
