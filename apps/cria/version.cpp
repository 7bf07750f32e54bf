// Set by the build, in this file alone.
#include "version.h"

namespace cria::app {

const char* version() { return CRIA_VERSION; }

}  // namespace cria::app
