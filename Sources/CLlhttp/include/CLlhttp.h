#include "llhttp.h"
