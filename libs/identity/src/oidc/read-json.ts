const LIMIT_MS = 5000;
const MAX_BYTES = 256 * 1024;

/** The issuer gave no usable answer. Its words are not repeated: they may hold what a token says. */
export class IssuerFailure extends Error {}

/**
 * An answer of the issuer as JSON: within five seconds, at most 256 KiB, and without following redirects.
 * @throws IssuerFailure
 */
export async function readJson(url: string, init: RequestInit = {}): Promise<unknown> {
  try {
    const reply = await boundedFetch(url, init);
    if (!reply.ok) throw new IssuerFailure(`the issuer answered with status ${reply.status}`);
    return await reply.json();
  } catch (error) {
    if (error instanceof IssuerFailure) throw error;
    throw new IssuerFailure('the issuer gave no usable answer', { cause: error });
  }
}

/** `fetch` with the same bounds. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const reply = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(LIMIT_MS) });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_BYTES) throw new IssuerFailure('the answer of the issuer is too long');
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status: reply.status, headers: reply.headers });
}
