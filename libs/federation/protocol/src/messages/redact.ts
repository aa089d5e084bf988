import type { SecretText } from '../secret-text';

const MAX_EXCERPT = 500;
const SECRET_MEMBER =
  /("?(?:sharedSecret|token|code|access_token|password|secret)"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|[^\s&,}<]+)/gi;

/**
 * A part of a partner's answer that may be stored and shown: one line, without the secrets that we sent and without
 * members named like secrets. Partners do repeat what they refuse.
 */
export function redact(text: string, secrets: readonly SecretText[], maxLength = MAX_EXCERPT): string {
  const clean = secrets
    .flatMap(spellingsOf)
    .reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)
    .slice(0, maxLength * 4)
    .replace(SECRET_MEMBER, '$1[secret]');
  return clean
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, maxLength)
    .trim();
}

/** Spellings of a secret: plain, inside JSON, and inside a form. */
function spellingsOf(secret: SecretText): string[] {
  const text = secret.reveal();
  const spellings = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  return text === '' ? [] : spellings;
}
