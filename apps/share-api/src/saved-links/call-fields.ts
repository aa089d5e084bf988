/** Fields of a call, all as texts. */
export type CallFields = Readonly<Record<string, string>>;

const MAX_CHARACTERS = 16_384;

/** Reads a form or a JSON object: numbers become text, other values count as missing. */
export function readCallFields(body: unknown): CallFields {
  const text = Buffer.isBuffer(body) ? body.toString('utf8', 0, MAX_CHARACTERS) : '';
  if (!text.trimStart().startsWith('{')) return Object.fromEntries(new URLSearchParams(text));
  try {
    const read = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
    return Object.fromEntries(
      read.flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
      ),
    );
  } catch {
    return {};
  }
}
