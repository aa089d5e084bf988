/** Password of the people in specs with browsers. */
export const PASSWORD = 'a password of the specs';

/** The parts of a browser that sessions need: it keeps one cookie, and sends the origin of its requests. */
export class Browser {
  cookie: string | undefined;
  requestToken = '';

  /** @param url of the instance */
  constructor(private readonly url: string) {}

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      ...(this.cookie && { cookie: this.cookie }),
      'sec-fetch-site': 'same-origin',
      ...init.headers,
    };
    const reply = await fetch(this.url + path, { redirect: 'manual', ...init, headers });
    const [set] = reply.headers.getSetCookie();
    if (set !== undefined) this.cookie = /^[^;]*=;/.test(set) ? undefined : set.split(';')[0]!;
    return reply;
  }

  async change(method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
    return (await this.fetch(path, { method, headers: { requesttoken: this.requestToken, ...headers } }))
      .status;
  }

  async signIn(user = 'alice', password = PASSWORD, next = ''): Promise<Response> {
    const body = new URLSearchParams({ user, password, ...(next && { next }) });
    const reply = await this.fetch('/login', { method: 'POST', body });
    if (reply.status === 303) this.requestToken = (await this.current()).requestToken;
    return reply;
  }

  async current(): Promise<{ uid: string; requestToken: string }> {
    return (await this.fetch('/web/session')).json() as Promise<{ uid: string; requestToken: string }>;
  }

  async status(path = '/web/session'): Promise<number> {
    return (await this.fetch(path)).status;
  }

  async sessions(): Promise<{ id: number; isCurrent: boolean; userAgent: string }[]> {
    const reply = await this.fetch('/web/sessions');
    return ((await reply.json()) as { sessions: { id: number; isCurrent: boolean; userAgent: string }[] })
      .sessions;
  }
}
