/** Names that new files and folders may not have, as settings say. */
export interface RefusedNames {
  /** Whole names, compared regardless of case. */
  readonly names: readonly string[];
  /** Regular expressions as text. They match anywhere in a name, regardless of case. */
  readonly patterns: readonly string[];
}

const MAX_PATTERN = 256;
const MAX_REPETITIONS = 2;

export const isName = (text: string): boolean => text !== '' && text.length <= 255 && !text.includes('/');

/**
 * Whether a text is a regular expression that is fast for any name: it repeats no group, has no back references, and
 * repeats at most two parts.
 */
export function isNamePattern(text: string): boolean {
  if (text === '' || text.length > MAX_PATTERN) return false;
  try {
    new RegExp(text, 'iu');
  } catch {
    return false;
  }
  // An escaped character or a class counts as one part, as a letter does.
  const parts = text.replace(/\\[^1-9k]/g, 'a').replace(/\[[^\]]*\]/g, 'a');
  return !/\)[*+?{]|\\/.test(parts) && (parts.match(/[*+{]/g) ?? []).length <= MAX_REPETITIONS;
}

/** Compiles the check of names, which is used many times for one value of the settings. */
export function refusalOfNames({ names, patterns }: RefusedNames): (name: string) => boolean {
  const refused = new Set(names.map((name) => name.toLowerCase()));
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'iu'));
  return (name) => refused.has(name.toLowerCase()) || expressions.some((expression) => expression.test(name));
}
