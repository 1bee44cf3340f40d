#include "CPublicSuffixList.h"

static const char list[] = {
#embed "../../public-suffix-list/public_suffix_list.dat"
};

static const char date[] = {
#embed "../../public-suffix-list/date" limit(10) suffix(, 0)
};

const char *public_suffix_list(void) {
    return list;
}

size_t public_suffix_list_size(void) {
    return sizeof(list);
}

const char *public_suffix_list_date(void) {
    return date;
}
