import type {CallOptions, Transport} from './transport.js';
import type {LoggedIn, Login, Me} from './types/identity.js';

/** Logging in with a cookie, in a browser. Programs have an API key instead. */
export class Identity {
  constructor(private readonly transport: Transport) {}

  login(request: Login, options?: CallOptions): Promise<LoggedIn> {
    return this.transport.json({method: 'POST', path: '/auth/login', body: request}, options);
  }

  logout(options?: CallOptions): Promise<void> {
    return this.transport.json({method: 'POST', path: '/auth/logout'}, options);
  }

  me(options?: CallOptions): Promise<Me> {
    return this.transport.json({method: 'GET', path: '/auth/me'}, options);
  }
}
