const LIMIT_MS = 5000;
const MAX_BYTES = 256 * 1024;

/** The issuer gave no usable answer. Its text is not repeated, because it may contain parts of a token. */
export class IssuerFailure extends Error {
  /** @param status HTTP status of its answer, if it gave one */
  constructor(
    message: string,
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * An answer of the issuer as JSON: within five seconds, at most 256 KiB, and without following redirects.
 * @throws IssuerFailure
 */
export async function readJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const reply = await boundedFetch(url, init);
  if (!reply.ok) throw answered(reply);
  return reply.json().catch(() => {
    throw new IssuerFailure('the issuer did not answer with JSON');
  });
}

const answered = ({ status }: Response): IssuerFailure =>
  new IssuerFailure(`the issuer answered with status ${status}`, status);

/** `fetch` with the same limits. An error status of the issuer throws, too. @throws IssuerFailure */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(LIMIT_MS) });
    if (reply.status >= 500) throw answered(reply);
    return new Response(await bounded(reply), { status: reply.status, headers: reply.headers });
  } catch (error) {
    if (error instanceof IssuerFailure) throw error;
    throw new IssuerFailure('the issuer gave no usable answer', undefined, { cause: error });
  }
}

async function bounded({ body, status }: Response): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_BYTES) throw new IssuerFailure('the answer of the issuer is too long');
    parts.push(part);
  }
  return status === 204 ? null : Buffer.concat(parts);
}
