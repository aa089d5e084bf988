import { parseCookie } from 'cookie';

const MOST_STEPS = 12;

/** A browser without scripts: it stores cookies of this machine, and follows redirects one by one. */
export class WalkingBrowser {
  readonly cookies = new Map<string, string>();
  /** Visited addresses. */
  readonly visited: string[] = [];

  /** Opens an address. @param until part of an address at which it stops before the request */
  async open(address: string, until?: string, init: RequestInit = {}): Promise<Response> {
    let [url, next] = [address, init];
    for (let step = 0; step < MOST_STEPS; step++) {
      this.visited.push(url);
      const reply = await this.ask(url, next);
      const location = reply.headers.get('location');
      if (location === null) return reply;
      url = new URL(location, url).href;
      if (until !== undefined && url.includes(until)) return Response.json({ stoppedAt: url });
      next = {};
    }
    throw new Error('too many redirects');
  }

  /** Sends a form. */
  async send(address: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.open(address, undefined, { method: 'POST', body: new URLSearchParams(fields) });
  }

  private async ask(url: string, init: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, { ...init, redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of reply.headers.getSetCookie()) {
      const [[name, value] = []] = Object.entries(parseCookie(line));
      if (name !== undefined) this.cookies.set(name, value ?? '');
    }
    return reply;
  }
}
