import { readHostIdentity } from '../addresses/host-identity';

/** A whole mail address, in the form in which it is compared and asked for. */
export interface MailAddress {
  /** In lower case, with the domain in ASCII. */
  readonly text: string;
  readonly domain: string;
}

const MAX_LENGTH = 254;
const LOCAL_PART = /^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}$/u;
/** At least two labels, the last of which begins with a letter: no address of a machine, and no port. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reads a whole mail address; undefined for anything else, such as a part of one or a cloud id with a port. */
export function readMailAddress(text: string): MailAddress | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !trimmed.isWellFormed()) return undefined;
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, at).normalize('NFC').toLowerCase();
  const domain = readMailDomain(trimmed.slice(at + 1));
  return at > 0 && domain && LOCAL_PART.test(local) ? { text: `${local}@${domain}`, domain } : undefined;
}

/** The domain of mail addresses in ASCII and lower case; undefined for a text that is none. */
export function readMailDomain(text: string): string | undefined {
  if (/[/:]/.test(text)) return undefined;
  const domain = readHostIdentity(text);
  return domain && DOMAIN.test(domain) ? domain : undefined;
}
