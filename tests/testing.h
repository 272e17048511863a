/* What every unit test program shares: a list of test functions becomes a suite and a main. */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <check.h>
#include <stdlib.h>

/* Where everything takes forty times as long (make check-valgrind), so much of a test that only
 * does the same many times over is enough: `few`, else `many`. */
static inline unsigned tests_many(unsigned many, unsigned few)
{
    return getenv("TC_TESTS_SMALL") != NULL ? few : many;
}

/* TEST_MAIN("json", test_a, test_b): runs each as its own case (so that failures name it). The
 * limit of 60 s a test leaves room for valgrind. */
#define TEST_MAIN(title, ...)                                         \
    int main(void)                                                    \
    {                                                                 \
        const TTest *tests[] = {__VA_ARGS__};                         \
        Suite *suite = suite_create(title);                           \
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) { \
            TCase *tc = tcase_create(tests[i]->name);                 \
            tcase_set_timeout(tc, 60);                                \
            tcase_add_test(tc, tests[i]);                             \
            suite_add_tcase(suite, tc);                               \
        }                                                             \
        SRunner *runner = srunner_create(suite);                      \
        srunner_run_all(runner, CK_ENV);                              \
        int failed = srunner_ntests_failed(runner);                   \
        srunner_free(runner);                                         \
        return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;             \
    }

#endif
