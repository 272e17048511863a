#include <stdio.h>

int main(void)
{
    fputs("tunecouch: nothing to run yet\n", stderr);
    return 2;
}
