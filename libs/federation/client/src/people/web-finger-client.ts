import type { MailAnswer } from '#federation/exchange';
import { readPersonsAccounts, resourceOf, WEB_FINGER_PATH, type MailAddress } from '#federation/protocol';
import { EgressFailed } from '../egress/egress-failed';
import type { ExchangeAnswer, GuardedClient } from '../egress/guarded-client';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 3;
/** Milliseconds for all requests together. */
const BUDGET_MS = 10_000;
/** Answers by which a server says that it knows nothing. */
const NOTHING = new Set([400, 401, 403, 404, 405, 410, 501]);

/**
 * Asks servers for the accounts of a mail address. A domain may send the question on to another server (RFC 7033, 7); the address of
 * each server is checked like every outgoing one.
 */
export class WebFingerClient {
  constructor(
    private readonly client: Pick<GuardedClient, 'exchange'>,
    /** Whether http is tried when no connection by https was made. */
    private readonly allowHttp: boolean,
    private readonly now: () => number = Date.now,
  ) {}

  /** Never throws for errors of a server. @param server `host[:port]` */
  async ask(server: string, mail: MailAddress): Promise<MailAnswer> {
    const deadline = this.now() + BUDGET_MS;
    const query = `${WEB_FINGER_PATH}?resource=${encodeURIComponent(resourceOf(mail))}`;
    const answer = await this.follow(`https://${server}${query}`, deadline);
    if (answer.kind !== 'unconnected') return read(answer, mail);
    if (!this.allowHttp) return { kind: 'failed', reason: answer.reason };
    const plain = await this.follow(`http://${server}${query}`, deadline);
    return plain.kind === 'unconnected' ? { kind: 'failed', reason: answer.reason } : read(plain, mail);
  }

  private async follow(first: string, deadline: number): Promise<Followed> {
    let url = first;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
      const answer = await this.get(url, Math.max(deadline - this.now(), 1));
      if (answer.kind !== 'answer' || !REDIRECTS.has(answer.answer.status)) return answer;
      const next = nextOf(answer.answer.headers.location, url);
      if (next === undefined) return { kind: 'failed', reason: 'redirected to no address' };
      url = next;
    }
    return { kind: 'failed', reason: 'redirected too often' };
  }

  private async get(url: string, withinMs: number): Promise<Followed> {
    const headers = { accept: 'application/jrd+json, application/json' };
    try {
      return {
        kind: 'answer',
        answer: await this.client.exchange({ method: 'GET', url, headers }, withinMs),
      };
    } catch (error) {
      if (!(error instanceof EgressFailed)) throw error;
      return { kind: error.mayHaveArrived ? 'failed' : 'unconnected', reason: error.failure };
    }
  }
}

type Followed =
  | { readonly kind: 'answer'; readonly answer: ExchangeAnswer }
  | { readonly kind: 'failed' | 'unconnected'; readonly reason: string };

/** An answer by https is never sent on to http. */
function nextOf(location: string | undefined, from: string): string | undefined {
  const url = location === undefined ? null : URL.parse(location, from);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  return url.protocol === 'http:' && from.startsWith('https:') ? undefined : url.href;
}

function read(followed: Exclude<Followed, { kind: 'unconnected' }>, mail: MailAddress): MailAnswer {
  if (followed.kind !== 'answer') return { kind: 'failed', reason: followed.reason };
  const { status, text, incomplete } = followed.answer;
  if (NOTHING.has(status)) return { kind: 'accounts', accounts: [] };
  if (status !== 200) return { kind: 'failed', reason: `answered ${status}` };
  if (incomplete) return { kind: 'failed', reason: incomplete };
  // Many servers answer every address with a page.
  return { kind: 'accounts', accounts: readPersonsAccounts(text, mail) ?? [] };
}
