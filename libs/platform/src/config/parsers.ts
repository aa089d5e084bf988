import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** An address range such as `10.0.0.0/8` or `::1/128`; a bare address means that one address. */
export type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Reads the text of one variable. The message of its issue completes "must be ...", and `readValue` builds the
 * sentence around it.
 */
export type Parser<T> = z.ZodType<T, string>;

/** A text that `read` can parse; undefined refuses it. */
const understood = <T>(rule: string, read: (raw: string) => T | undefined): Parser<T> =>
  z.string().transform((raw, context) => {
    const value = read(raw);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });

/** A text that matches, unchanged. */
const matching = (pattern: RegExp, rule: string): Parser<string> => z.string().regex(pattern, rule);

/** Items separated by commas; spaces around them and empty items are ignored. */
const listOf = <T>(item: Parser<T>): Parser<T[]> =>
  z
    .string()
    .transform((raw) =>
      raw
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item));

export const text: Parser<string> = z.string();

export function integer(min: number, max: number): Parser<number> {
  const rule = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .pipe(z.number().min(min, rule).max(max, rule));
}

export const oneOf = <const T extends string>(...choices: T[]): Parser<T> =>
  z.enum(choices, `one of ${choices.join(', ')}`);

export const flag: Parser<boolean> = z.stringbool({
  truthy: ['true'],
  falsy: ['false'],
  case: 'sensitive',
  error: 'true or false',
});

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `4s`, `10m`, `2h`, `7d` as milliseconds. A number without a unit is refused. */
export function duration(minMs: number, maxMs: number): Parser<number> {
  const rule = `a duration with its unit, such as 500ms, 4s or 2h, from ${minMs}ms to ${maxMs}ms`;
  return understood(rule, (raw) => {
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(raw);
    const ms = match ? Number(match[1]) * UNIT_MS[match[2]!]! : NaN;
    return ms >= minMs && ms <= maxMs ? ms : undefined;
  });
}

const UNIT_BYTES: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** `64MB`, `5GB`: powers of 1024, as bytes. */
export const byteSize = (minBytes: number): Parser<number> =>
  understood(`a size with its unit, such as 64MB or 5GB, of at least ${minBytes}B`, (raw) => {
    const match = /^(\d{1,9})(B|KB|MB|GB|TB)$/.exec(raw);
    const bytes = match ? Number(match[1]) * UNIT_BYTES[match[2]!]! : NaN;
    return bytes >= minBytes ? bytes : undefined;
  });

/** Blanks also separate, because proxies are configured with the same text. */
export const cidrList: Parser<Cidr[]> = z
  .string()
  .transform((raw) => raw.replaceAll(/\s+/g, ','))
  .pipe(listOf(understood('a list of addresses or ranges such as 10.0.0.0/8,::1', parseCidr)));

/** A number from 0 to 1, such as 0.05. */
export const ratio: Parser<number> = z
  .string()
  .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'a number from 0 to 1')
  .transform(Number);

const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;
/** Characters of a header value, percent-encoded. */
const HEADER_VALUE = /^(?:%[2-7][0-9a-fA-F]|[!-$&-~])*$/;

/** `name=value` pairs, separated by commas; values are percent-encoded. They are secrets. */
export const headerList: Parser<Readonly<Record<string, string>>> = listOf(
  understood('a list such as x-key=value,x-other=value, with values percent-encoded', (part) => {
    const equals = part.indexOf('=');
    const [header, value] = [part.slice(0, Math.max(equals, 0)).trim(), part.slice(equals + 1).trim()];
    return HEADER_NAME.test(header) && HEADER_VALUE.test(value)
      ? ([header, decodeURIComponent(value)] as const)
      : undefined;
  }),
).transform((pairs) => Object.fromEntries(pairs));

/** Origins as browsers send them: scheme, host and port in lower case, without a path. */
export const originList: Parser<string[]> = listOf(
  understood('a list of origins such as https://office.example.org', (part) =>
    URL.canParse(part) && new URL(part).origin === part ? part : undefined,
  ),
);

function parseCidr(part: string): Cidr | undefined {
  // The library also reads 10.1 (as 10.0.0.1) and 010.0.0.1 (as 8.0.0.1).
  if (!part.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(part.split('/')[0]!)) return undefined;
  if (ipaddr.isValidCIDR(part)) return ipaddr.parseCIDR(part);
  if (!ipaddr.isValid(part)) return undefined;
  const address = ipaddr.parse(part);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** An absolute http(s) address without query, fragment, credentials or trailing slash. */
export const webAddress: Parser<string> = understood(
  'an address such as https://cloud.example.org, without a trailing slash',
  (raw) => {
    if (!URL.canParse(raw)) return undefined;
    const url = new URL(raw);
    const plain = /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
    return plain && !raw.endsWith('/') ? raw : undefined;
  },
);

/** An issuer of OpenID Connect, with its own name: over TLS, or on this machine. */
export const issuerAddress: Parser<string> = understood(
  'an address such as https://id.example.org, without a query; http only on this machine',
  (raw) => {
    if (!URL.canParse(raw) || raw.length > 512) return undefined;
    const { protocol, hostname, username, search, hash } = new URL(raw);
    const isSafe =
      protocol === 'https:' ||
      (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));
    return isSafe && !username && !search && !hash ? raw : undefined;
  },
);

/** Signature algorithms with key pairs. `none` and those with a shared secret are refused: a public key could be used as that secret. */
export const signatureAlgorithms: Parser<readonly string[]> = understood(
  'a list such as RS256,ES256 of algorithms with key pairs',
  (raw) => {
    const algorithms = raw.split(',').map((part) => part.trim());
    const isAllowed = (algorithm: string): boolean =>
      /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/.test(algorithm);
    return algorithms.every(isAllowed) ? algorithms : undefined;
  },
);

/** A claim of OpenID Connect, such as `preferred_username` or `https://example.org/groups`. */
export const claimName = matching(/^[\w.:/-]{1,128}$/, 'the name of a claim, such as preferred_username');

/** Servers of a directory, separated by commas: `ldaps://host` or `ldap://host:port`. */
export const ldapAddresses: Parser<readonly URL[]> = understood(
  'a list of one to ten addresses such as ldaps://ldap.example.org or ldap://ldap.example.org:389',
  (raw) => {
    const parts = raw.split(',').map((part) => part.trim());
    const isAddress = (part: string): boolean =>
      /^ldaps?:\/\/[^\s/?#@]{1,255}\/?$/.test(part) && URL.canParse(part);
    return parts.length <= 10 && parts.every(isAddress) ? parts.map((part) => new URL(part)) : undefined;
  },
);

/** An LDAP filter (RFC 4515), in parentheses. Parentheses in values are escaped, so all others must be balanced. */
export const ldapFilter: Parser<string> = understood('a filter such as (objectClass=person)', (raw) => {
  const isWhole = raw.split('(').length === raw.split(')').length;
  return isWhole && /^\([^\0\r\n]{1,4000}\)$/.test(raw) ? raw : undefined;
});

/** An attribute of LDAP, such as `entryUUID`. */
export const attributeName = matching(
  /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
  'the name of an attribute, such as entryUUID',
);

/** Scopes of a sign-in, which must include `openid`. */
export const scopeList: Parser<string> = understood('a list such as "openid profile email"', (raw) =>
  /^[\x21\x23-\x5B\x5D-\x7E ]{1,512}$/.test(raw) && raw.split(' ').includes('openid') ? raw : undefined,
);

/** Names, separated by commas. */
export const nameList: Parser<readonly string[]> = listOf(text);

const ENCODED_PASSWORD = 'with characters such as # / ? @ % in the password percent-encoded';

/** Without a host it leads to a socket, in the directory that the parameter `host` names. */
export const postgresAddress: Parser<string> = understood(
  `an address such as postgres://user:password@host:5432/drawbridge, ${ENCODED_PASSWORD}`,
  (raw) => (/^postgres(ql)?:\/\/./.test(raw) && isReadable(raw.replace('@/', '@socket/')) ? raw : undefined),
);

/** Whether an address has all of its parts: a `#` or `/` in a password would cut it. */
function isReadable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password, pathname, hash } = new URL(address);
  return hash === '' && [username, password, pathname].every(isPercentEncoded);
}

const isPercentEncoded = (part: string): boolean => /^(?:[^%]|%[0-9a-f]{2})*$/i.test(part);

/** Place of file content: a directory, or a bucket with a `prefix` for keys (no slash at either end). */
export type BlobPlace =
  | { readonly in: 'directory'; readonly path: string }
  | { readonly in: 'bucket'; readonly bucket: string; readonly prefix: string };

/** `file:<directory>` or `s3://<bucket>/<prefix>`. */
export const blobStoreAddress = understood<BlobPlace>('file:<directory> or s3://<bucket>/<prefix>', (raw) => {
  const path = /^file:(.+)$/.exec(raw)?.[1];
  if (path !== undefined) return { in: 'directory', path };
  // Names of buckets and keys that every service accepts.
  const bucket =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+){0,9}))?\/?$/.exec(
      raw,
    );
  return bucket ? { in: 'bucket', bucket: bucket[1]!, prefix: bucket[2] ?? '' } : undefined;
});

/** A scanner for uploads: clamd at a port or a socket of this machine, or a service of an ICAP server. */
export type ScannerPlace =
  | { readonly speaks: 'clamd'; readonly at: ScannerEndpoint }
  | { readonly speaks: 'icap'; readonly at: ScannerEndpoint; readonly address: string };
type ScannerEndpoint = { readonly host: string; readonly port: number } | { readonly path: string };

const SCANNER_PORTS: Readonly<Record<string, number>> = { 'clamd:': 3310, 'icap:': 1344 };

/** `clamd://host:3310`, `clamd:/path/of/its/socket` or `icap://host:1344/service`. */
export const scannerAddress = understood<ScannerPlace>(
  'clamd://host:3310, clamd:/path/of/its/socket or icap://host:1344/service',
  (raw) => {
    const path = /^clamd:(?:\/\/)?(\/[^\s\0/][^\s\0]{0,100})$/.exec(raw)?.[1];
    if (path !== undefined) return { speaks: 'clamd', at: { path } };
    if (!/^(?:clamd|icap):\/\/[\x21-\x7e]{1,1000}$/.test(raw) || !URL.canParse(raw)) return undefined;
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(raw);
    const hasService = pathname.length > 1;
    if (hostname === '' || username !== '' || password !== '' || hash !== '') return undefined;
    const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || SCANNER_PORTS[protocol]) };
    if (protocol === 'clamd:') return hasService || search !== '' ? undefined : { speaks: 'clamd', at };
    if (!hasService) return undefined;
    return { speaks: 'icap', at, address: `icap://${hostname}:${at.port}${pathname}${search}` };
  },
);

/** A mail server, `smtp://` or `smtps://`. */
export const smtpAddress: Parser<string> = understood(
  'an address such as smtps://user:password@mail.example.org',
  (raw) => (/^smtps?:\/\/./.test(raw) && URL.canParse(raw) && new URL(raw).hostname !== '' ? raw : undefined),
);

export const mailAddress: Parser<string> = z
  .string()
  .max(254, 'an address such as sharing@example.org')
  .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'an address such as sharing@example.org');

export const redisAddress: Parser<string> = understood(
  `an address such as redis://:password@host:6379/0, ${ENCODED_PASSWORD}`,
  (raw) =>
    /^rediss?:\/\/./.test(raw) && isReadable(raw) && /^(?:\/\d{0,9})?$/.test(new URL(raw).pathname)
      ? raw
      : undefined,
);

/** Address of a server in a network; IPv6 without brackets. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const SENTINEL = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9][a-z0-9._-]{0,252})(?::(\d{1,5}))?$/i;
const SENTINEL_PORT = 26_379;

/** Sentinels of Redis, separated by commas: `host` or `host:port`. */
export const sentinelList: Parser<readonly Endpoint[]> = understood(
  'a list of one to ten sentinels such as s1.example.org:26379,s2.example.org:26379',
  (raw) => {
    const found = raw.split(',').flatMap((part) => {
      const [, host, port = SENTINEL_PORT] = SENTINEL.exec(part.trim()) ?? [];
      const isUsable = host !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
      return isUsable ? [{ host: host.replace(/^\[|\]$/g, ''), port: Number(port) }] : [];
    });
    return found.length <= 10 && found.length === raw.split(',').length ? found : undefined;
  },
);

/** Name that Redis Sentinel gives to a group of servers. */
export const sentinelMaster = matching(
  /^[A-Za-z0-9._-]{1,128}$/,
  'the name of a master, such as mymaster, of letters, digits, dots, hyphens and underscores',
);

/** A short name of lower-case letters, digits and hyphens. */
export const shortName = matching(/^[a-z][a-z0-9-]{0,31}$/, 'a short name of a-z, 0-9 and hyphens');
