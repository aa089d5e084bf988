import { DEFAULT_PORTS, type Scheme } from '../addresses/host-and-path';
import { SignatureRefused } from './signature-refused';

/** Target of a request, divided into the signed parts. Paths and queries stay as they were written. */
export interface RequestTarget {
  readonly method: string;
  /** Absolute, without a fragment, its host as in `authority`. */
  readonly uri: string;
  /** `host[:port]` in lower case, without the port of the scheme. */
  readonly authority: string;
  /** Never empty. */
  readonly path: string;
  /** With its question mark; `''` for none. */
  readonly query: string;
}

const PARTS = /^(https?):\/\/([^/?#@\s]+)(\/[^?#\s]*)?(\?[^#\s]*)?$/;

/**
 * @param url absolute: our public address with the path and query exactly as received, or the address of our own call
 * @throws SignatureRefused `malformed` for any other address
 */
export function requestTarget(method: string, url: string): RequestTarget {
  const parts = PARTS.exec(url);
  if (!parts || !/^[A-Z]{1,16}$/.test(method)) throw new SignatureRefused('malformed', 'request');
  const [, scheme, host, path = '/', query = ''] = parts;
  const authority = withoutDefaultPort(host!, scheme as Scheme);
  return { method, uri: `${scheme}://${authority}${path}${query}`, authority, path, query };
}

/** Whether the value of a Host header names the server of `target`. */
export function namesServerOf(host: string, { uri, authority }: RequestTarget): boolean {
  return withoutDefaultPort(host, uri.startsWith('https:') ? 'https' : 'http') === authority;
}

function withoutDefaultPort(authority: string, scheme: Scheme): string {
  return authority.toLowerCase().replace(new RegExp(`:${DEFAULT_PORTS[scheme]}$`), '');
}
