/** Fields of a call, all of them texts. */
export type CallFields = Readonly<Record<string, string>>;

const MAX_CHARACTERS = 16_384;

/** A form, or an object of JSON: a number counts as its text, everything else that is no text as not there. */
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
