#include <dbus/dbus.h>

/* libdbus's codes for types, which Swift does not see: they are macros with a cast in them. */
static const int cdbus_none = DBUS_TYPE_INVALID;
static const int cdbus_byte = DBUS_TYPE_BYTE;
static const int cdbus_boolean = DBUS_TYPE_BOOLEAN;
static const int cdbus_int16 = DBUS_TYPE_INT16;
static const int cdbus_uint16 = DBUS_TYPE_UINT16;
static const int cdbus_int32 = DBUS_TYPE_INT32;
static const int cdbus_uint32 = DBUS_TYPE_UINT32;
static const int cdbus_int64 = DBUS_TYPE_INT64;
static const int cdbus_uint64 = DBUS_TYPE_UINT64;
static const int cdbus_double = DBUS_TYPE_DOUBLE;
static const int cdbus_string = DBUS_TYPE_STRING;
static const int cdbus_object_path = DBUS_TYPE_OBJECT_PATH;
static const int cdbus_signature = DBUS_TYPE_SIGNATURE;
static const int cdbus_array = DBUS_TYPE_ARRAY;
static const int cdbus_variant = DBUS_TYPE_VARIANT;
static const int cdbus_struct = DBUS_TYPE_STRUCT;
static const int cdbus_dict_entry = DBUS_TYPE_DICT_ENTRY;
