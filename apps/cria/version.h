// The program's version.
#pragma once

namespace cria::app {

const char* version();  // "0.1.0"

}  // namespace cria::app
