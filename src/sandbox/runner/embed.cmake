# Writes the runner's modules as a C++ source: cmake -D FOLDER=… -D NAMES="a b c" -D OUTPUT=… -P embed.cmake. Only names
# and texts go into it, no path of the machine that builds.
set(source "#include \"sandbox/runner_modules.h\"\n\nnamespace braidlog::sandbox {\n\n")
string(APPEND source "const std::vector<RunnerModule>& runner_modules() {\n")
string(APPEND source "  static const std::vector<RunnerModule> modules{\n")
string(REPLACE " " ";" names ${NAMES})
foreach(name ${names})
  file(READ ${FOLDER}/${name}.py text)
  string(APPEND source "      {\"${name}\", R\"module(${text})module\"},\n")
endforeach()
string(APPEND source "  };\n  return modules;\n}\n\n}  // namespace braidlog::sandbox\n")
file(WRITE ${OUTPUT} "${source}")
