import {ApiError, get, me, post} from './http';
import type {Me} from './types';

export async function readMe(): Promise<void> {
  try {
    me.value = await get<Me>('/auth/me');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      me.value = null;
      return;
    }
    setTimeout(() => void readMe(), 1000);  // The server is away: nobody can say who is asking.
  }
}

export async function logIn(username: string, password: string): Promise<void> {
  await post('/auth/login', {username, password});
  await readMe();
}

export async function logOut(): Promise<void> {
  await post('/auth/logout');
  location.reload();  // What the page and the worker hold was the old user's.
}
