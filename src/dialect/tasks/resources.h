// Results -> bodies of the tasks contract. How a task, an artifact and a data item are written is in session_items.h.
#pragma once

#include "api/service.h"
#include "wire/http.h"

namespace braidlog::tasks {

HttpResponse task_list(const api::TaskList& list);
HttpResponse task_body(const api::Task& task);

// Lists have no contents.
HttpResponse artifact_list(const api::ArtifactList& list);
HttpResponse artifact_body(const api::Artifact& artifact);
// The content alone, for a browser to save.
HttpResponse artifact_download(api::Artifact artifact);
HttpResponse artifact_deleted(const api::DeletedArtifact& deleted);

HttpResponse data_item_list(const api::DataItemList& list);
HttpResponse data_item_body(const api::DataItem& item);

}  // namespace braidlog::tasks
