import {del, get} from './http';
import type {Artifact, DataItem, Task} from './types';

export const listTasks = async (session: string): Promise<Task[]> => (await get<{tasks: Task[]}>(`/sessions/${session}/tasks`)).tasks;
export const listArtifacts = async (session: string): Promise<Artifact[]> =>
  (await get<{artifacts: Artifact[]}>(`/sessions/${session}/artifacts`)).artifacts;
export const readArtifact = (session: string, id: string): Promise<Artifact> => get(`/sessions/${session}/artifacts/${id}`);
export const deleteArtifact = (session: string, id: string): Promise<void> => del(`/sessions/${session}/artifacts/${id}`);
export const artifactFile = (session: string, id: string): string => `/sessions/${session}/artifacts/${id}/download`;
export const listDataItems = async (session: string): Promise<DataItem[]> =>
  (await get<{dataItems: DataItem[]}>(`/sessions/${session}/data-items`)).dataItems;
