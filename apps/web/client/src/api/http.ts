/** Path below which the instance lives, without a trailing slash; empty for the root of its host. */
export const ROOT = pathOf(document.querySelector<HTMLMetaElement>('meta[name="root"]')?.content ?? '');

/** The server's own pages contain a relative address. */
function pathOf(root: string): string {
  return root === '' ? '' : new URL(root, location.href).pathname.replace(/\/$/, '');
}

/** A refusal, with a text for the person who asked. */
export class RequestFailed extends Error {
  constructor(
    /** HTTP status; 0 without an answer. */
    readonly status: number,
    message: string,
    /** Whether the text names the reason better than the status does: in answers of OCS, and to the pages. */
    readonly isNamed: boolean,
  ) {
    super(message);
  }
}

let requestToken: string | null = null;

/** The token that the server requires with every change in this session. */
export function useRequestToken(token: string | null): void {
  requestToken = token;
}

export const currentRequestToken = (): string | null => requestToken;

/** Opens the sign-in, which leads back to this page. */
function signIn(): void {
  location.assign(`${ROOT}/login?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/**
 * Sends a request to the instance.
 * @param path below the root of the instance, percent-encoded
 * @throws RequestFailed for every answer but 2xx; an ended session leads to the sign-in
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-requested-with', 'XMLHttpRequest');
  if (requestToken !== null) headers.set('requesttoken', requestToken);
  const reply = await fetch(ROOT + path, { ...init, headers }).catch(() => undefined);
  if (!reply) throw new RequestFailed(0, 'no-answer', false);
  if (reply.status === 401) signIn();
  if (!reply.ok) throw new RequestFailed(reply.status, await reasonIn(reply), /^\/(?:ocs|web)\//.test(path));
  return reply;
}

const reasonIn = async (reply: Response): Promise<string> =>
  reasonInBody(await reply.text().catch(() => ''), reply.headers.get('content-type') ?? '');

/** Reason in the body of an answer: from the calls of pages, from OCS or from WebDAV. */
export function reasonInBody(text: string, mediaType: string): string {
  if (mediaType.includes('json')) return reasonInJson(text);
  if (!mediaType.includes('xml')) return '';
  return (
    new DOMParser().parseFromString(text, 'application/xml').getElementsByTagName('s:message')[0]
      ?.textContent ?? ''
  );
}

function reasonInJson(text: string): string {
  const body = JSON.parse(text) as { ocs?: { meta?: { message?: string } }; error?: { message?: string } };
  return body.ocs?.meta?.message ?? body.error?.message ?? '';
}
