# Writes the documents as a C++ source: cmake -D FOLDER=… -D OUTPUT=… -P embed.cmake. Only names and texts go into it,
# no path of the machine that builds.
file(GLOB paths ${FOLDER}/*.md)
list(SORT paths)
set(source "#include \"tool/knowledge/embedded_documents.h\"\n\nnamespace braidlog::tool {\n\n")
string(APPEND source "const std::vector<EmbeddedDocument>& embedded_documents() {\n")
string(APPEND source "  static const std::vector<EmbeddedDocument> documents{\n")
foreach(path ${paths})
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(APPEND source "      {\"${name}\", R\"document(${text})document\"},\n")
endforeach()
string(APPEND source "  };\n  return documents;\n}\n\n}  // namespace braidlog::tool\n")
file(WRITE ${OUTPUT} "${source}")
