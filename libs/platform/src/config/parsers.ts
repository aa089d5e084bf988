import ipaddr from 'ipaddr.js';
import { ConfigError } from './config-error';

/** An address range: `10.0.0.0/8`, `::1/128`; a bare address means that one address. */
export type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads one value; `name` is the variable's, for the sentence of a refusal. */
export type Parser<T> = (raw: string, name: string) => T;

const refuse = (name: string, raw: string, rule: string): never => {
  throw new ConfigError(`${name} is '${raw.slice(0, 80)}', but must be ${rule}.`);
};

export const text: Parser<string> = (raw) => raw;

export function integer(min: number, max: number): Parser<number> {
  return (raw, name) =>
    /^\d{1,15}$/.test(raw) && Number(raw) >= min && Number(raw) <= max
      ? Number(raw)
      : refuse(name, raw, `a whole number from ${min} to ${max}`);
}

export function oneOf<const T extends string>(...choices: T[]): Parser<T> {
  return (raw, name) =>
    choices.find((choice) => choice === raw) ?? refuse(name, raw, `one of ${choices.join(', ')}`);
}

export const flag: Parser<boolean> = (raw, name) =>
  raw === 'true' ? true : raw === 'false' ? false : refuse(name, raw, 'true or false');

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `4s`, `10m`, `2h`, `7d` as milliseconds. A bare number is refused: its unit would be a guess. */
export function duration(minMs: number, maxMs: number): Parser<number> {
  return (raw, name) => {
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(raw);
    const ms = match ? Number(match[1]) * UNIT_MS[match[2]!]! : NaN;
    return ms >= minMs && ms <= maxMs
      ? ms
      : refuse(name, raw, `a duration with its unit, such as 500ms, 4s or 2h, from ${minMs}ms to ${maxMs}ms`);
  };
}

const UNIT_BYTES: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** `64MB`, `5GB`: powers of 1024, as bytes. */
export function byteSize(minBytes: number): Parser<number> {
  return (raw, name) => {
    const match = /^(\d{1,9})(B|KB|MB|GB|TB)$/.exec(raw);
    const bytes = match ? Number(match[1]) * UNIT_BYTES[match[2]!]! : NaN;
    return bytes >= minBytes ? bytes : refuse(name, raw, `a size with its unit, such as 64MB or 5GB`);
  };
}

export const cidrList: Parser<Cidr[]> = (raw, name) =>
  raw
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(
      (part) => parseCidr(part) ?? refuse(name, raw, 'a list of addresses or ranges such as 10.0.0.0/8,::1'),
    );

/** From 0 to 1, such as 0.05. */
export const ratio: Parser<number> = (raw, name) =>
  /^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(raw) ? Number(raw) : refuse(name, raw, 'a number from 0 to 1');

const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;
/** Characters of a header value, percent-encoded. */
const HEADER_VALUE = /^(?:%[2-7][0-9a-fA-F]|[!-$&-~])*$/;

/** `name=value` pairs with commas between; values are percent-encoded. Never repeated in a refusal: they are secrets. */
export const headerList: Parser<Readonly<Record<string, string>>> = (raw, name) =>
  Object.fromEntries(
    raw
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => {
        const equals = part.indexOf('=');
        const [header, value] = [part.slice(0, Math.max(equals, 0)).trim(), part.slice(equals + 1).trim()];
        if (!HEADER_NAME.test(header) || !HEADER_VALUE.test(value))
          return refuse(name, '***', 'a list such as x-key=value,x-other=value, with values percent-encoded');
        return [header, decodeURIComponent(value)];
      }),
  );

/** Origins as browsers send them: scheme, host and port in small letters, and nothing behind. */
export const originList: Parser<string[]> = (raw, name) =>
  raw
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) =>
      URL.canParse(part) && new URL(part).origin === part
        ? part
        : refuse(name, raw, 'a list of origins such as https://office.example.org'),
    );

function parseCidr(part: string): Cidr | undefined {
  if (ipaddr.isValidCIDR(part)) return ipaddr.parseCIDR(part);
  if (!ipaddr.isValid(part)) return undefined;
  const address = ipaddr.parse(part);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** An absolute http(s) address without query, fragment, credentials or trailing slash. */
export const webAddress: Parser<string> = (raw, name) => {
  const rule = 'an address such as https://cloud.example.org, without a trailing slash';
  if (!URL.canParse(raw)) return refuse(name, raw, rule);
  const url = new URL(raw);
  const plain = /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  return plain && !raw.endsWith('/') ? raw : refuse(name, raw, rule);
};

/** An issuer of OpenID Connect, as it names itself: over TLS, or on this machine. */
export const issuerAddress: Parser<string> = (raw, name) => {
  const rule = 'an address such as https://id.example.org, without a query; http only on this machine';
  if (!URL.canParse(raw) || raw.length > 512) return refuse(name, raw, rule);
  const { protocol, hostname, username, search, hash } = new URL(raw);
  const isSafe =
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));
  return isSafe && !username && !search && !hash ? raw : refuse(name, raw, rule);
};

/** Algorithms of signatures by key pairs. Those with a shared secret and `none` are refused: a public key would do as that secret. */
export const signatureAlgorithms: Parser<readonly string[]> = (raw, name) => {
  const algorithms = raw.split(',').map((part) => part.trim());
  return algorithms.every((algorithm) => /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/.test(algorithm))
    ? algorithms
    : refuse(name, raw, 'a list such as RS256,ES256 of algorithms with key pairs');
};

/** A claim of OpenID Connect, such as `preferred_username` or `https://example.org/groups`. */
export const claimName: Parser<string> = (raw, name) =>
  /^[\w.:/-]{1,128}$/.test(raw) ? raw : refuse(name, raw, 'the name of a claim, such as preferred_username');

/** Servers of a directory: `ldaps://host` or `ldap://host:port`, with commas between them. */
export const ldapAddresses: Parser<readonly URL[]> = (raw, name) => {
  const rule =
    'a list of one to ten addresses such as ldaps://ldap.example.org or ldap://ldap.example.org:389';
  const parts = raw.split(',').map((part) => part.trim());
  if (parts.length > 10) return refuse(name, raw, rule);
  return parts.map((part) => {
    if (!/^ldaps?:\/\/[^\s/?#@]{1,255}\/?$/.test(part) || !URL.canParse(part)) return refuse(name, raw, rule);
    return new URL(part);
  });
};

/** A filter of LDAP (RFC 4515), in parentheses; those of values are escaped, so that all have their other half. */
export const ldapFilter: Parser<string> = (raw, name) => {
  const isWhole = raw.split('(').length === raw.split(')').length;
  return isWhole && /^\([^\0\r\n]{1,4000}\)$/.test(raw)
    ? raw
    : refuse(name, raw, 'a filter such as (objectClass=person)');
};

/** An attribute of LDAP, such as `entryUUID`. */
export const attributeName: Parser<string> = (raw, name) =>
  /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(raw)
    ? raw
    : refuse(name, raw, 'the name of an attribute, such as entryUUID');

/** Scopes of a sign-in, with `openid` among them. */
export const scopeList: Parser<string> = (raw, name) =>
  /^[\x21\x23-\x5B\x5D-\x7E ]{1,512}$/.test(raw) && raw.split(' ').includes('openid')
    ? raw
    : refuse(name, raw, 'a list such as "openid profile email"');

/** Names with commas between them. */
export const nameList: Parser<readonly string[]> = (raw) =>
  raw
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export const postgresAddress: Parser<string> = (raw, name) =>
  /^postgres(ql)?:\/\/./.test(raw)
    ? raw
    : refuse(
        name,
        raw.replace(/:[^:@/]*@/, ':***@'),
        'an address such as postgres://user:password@host:5432/drawbridge',
      );

/** Where file content is kept: in a directory, or in a bucket whose keys begin with `prefix` (no slash at either end). */
export type BlobPlace =
  | { readonly in: 'directory'; readonly path: string }
  | { readonly in: 'bucket'; readonly bucket: string; readonly prefix: string };

/** `file:<directory>` or `s3://<bucket>/<prefix>`. */
export const blobStoreAddress: Parser<BlobPlace> = (raw, name) => {
  const path = /^file:(.+)$/.exec(raw)?.[1];
  if (path !== undefined) return { in: 'directory', path };
  // Names of buckets and keys as every service takes them.
  const bucket =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+){0,9}))?\/?$/.exec(
      raw,
    );
  return bucket
    ? { in: 'bucket', bucket: bucket[1]!, prefix: bucket[2] ?? '' }
    : refuse(name, raw, 'file:<directory> or s3://<bucket>/<prefix>');
};

/** A program that scans uploads: clamd at a port or a socket of this machine, or a service of an ICAP server. */
export type ScannerPlace =
  | { readonly speaks: 'clamd'; readonly at: ScannerEndpoint }
  | { readonly speaks: 'icap'; readonly at: ScannerEndpoint; readonly address: string };
type ScannerEndpoint = { readonly host: string; readonly port: number } | { readonly path: string };

const SCANNER_PORTS: Readonly<Record<string, number>> = { 'clamd:': 3310, 'icap:': 1344 };

/** `clamd://host:3310`, `clamd:/path/of/its/socket` or `icap://host:1344/service`. */
export const scannerAddress: Parser<ScannerPlace> = (raw, name) => {
  const rule = 'clamd://host:3310, clamd:/path/of/its/socket or icap://host:1344/service';
  const shown = raw.replace(/\/\/.*@/, '//***@');
  const path = /^clamd:(?:\/\/)?(\/[^\s\0/][^\s\0]{0,100})$/.exec(raw)?.[1];
  if (path !== undefined) return { speaks: 'clamd', at: { path } };
  if (!/^(?:clamd|icap):\/\/[\x21-\x7e]{1,1000}$/.test(raw) || !URL.canParse(raw))
    return refuse(name, shown, rule);
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(raw);
  const hasService = pathname.length > 1;
  if (hostname === '' || username !== '' || password !== '' || hash !== '') return refuse(name, shown, rule);
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || SCANNER_PORTS[protocol]) };
  if (protocol === 'clamd:')
    return hasService || search !== '' ? refuse(name, shown, rule) : { speaks: 'clamd', at };
  if (!hasService) return refuse(name, shown, rule);
  return { speaks: 'icap', at, address: `icap://${hostname}:${at.port}${pathname}${search}` };
};

/** A mail server, `smtp://` or `smtps://`. Never repeated in a refusal: it holds a password. */
export const smtpAddress: Parser<string> = (raw, name) =>
  /^smtps?:\/\/./.test(raw) && URL.canParse(raw) && new URL(raw).hostname !== ''
    ? raw
    : refuse(
        name,
        raw.replace(/\/\/.*@/, '//***@'),
        'an address such as smtps://user:password@mail.example.org',
      );

export const mailAddress: Parser<string> = (raw, name) =>
  raw.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(raw)
    ? raw
    : refuse(name, raw, 'an address such as sharing@example.org');

/** The password stays out of the sentence of a refusal. */
export const redisAddress: Parser<string> = (raw, name) =>
  /^rediss?:\/\/./.test(raw) && URL.canParse(raw)
    ? raw
    : refuse(name, raw.replace(/:[^:@/]*@/, ':***@'), 'an address such as redis://:password@host:6379/0');

/** A short name of lower-case letters, digits and hyphens. */
export const shortName: Parser<string> = (raw, name) =>
  /^[a-z][a-z0-9-]{0,31}$/.test(raw) ? raw : refuse(name, raw, 'a short name of a-z, 0-9 and hyphens');
