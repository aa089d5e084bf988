/** Maximum nesting; no message of partners needs more than five levels. */
const MAX_DEPTH = 8;

/** Maximum length of a message, in characters. Source: federation-facts 7. */
export const MAX_MESSAGE_LENGTH = 64 * 1024;

/** The value of a JSON text; undefined if it is invalid, too long or nested too deeply. */
export function parseBoundedJson(text: string, maxLength = MAX_MESSAGE_LENGTH): unknown {
  if (text.length > maxLength || depthOf(text) > MAX_DEPTH) return undefined;
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
  } catch {
    return undefined;
  }
}

/** Counted before parsing, because a million brackets are already too much for the parser. */
function depthOf(text: string): number {
  let [depth, deepest, inString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (inString) {
      if (letter === '\\') at += 1;
      else if (letter === '"') inString = false;
    } else if (letter === '"') {
      inString = true;
    } else if (letter === '{' || letter === '[') {
      deepest = Math.max(deepest, (depth += 1));
    } else if (letter === '}' || letter === ']') {
      depth -= 1;
    }
  }
  return deepest;
}
