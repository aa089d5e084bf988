import { CloudIdInvalid, parseCloudId, type FederatedCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { parseBoundedJson } from '../wire/bounded-json';
import type { MailAddress } from './mail-address';

/**
 * Relation of the link to the server at which a person receives federated shares, and name of its property with their cloud id. Neither
 * Open Cloud Mesh nor the registry of relations has one.
 */
const CLOUD_ID = 'urn:drawbridge:federated-cloud-id';
/** Longer lists of links or aliases are not read to their end. */
const MOST_ENTRIES = 50;
const MOST_ACCOUNTS = 2;

export const WEB_FINGER_PATH = '/.well-known/webfinger';

/** The resource by which WebFinger is asked for a mail address. Source: RFC 7033, 4.1. */
export const resourceOf = ({ text }: MailAddress): string => `acct:${text}`;

/** The mail address in a resource `acct:` or `mailto:`; undefined for another resource. */
export function addressIn(resource: string): string | undefined {
  return /^(?:acct|mailto):(.+)$/is.exec(resource)?.[1];
}

interface DescribedPerson {
  readonly aliases: readonly string[];
  readonly links: readonly { readonly rel: string }[];
}

/** The parts of a descriptor that name the account of a person. An address below a path cannot be written as `acct:`. */
export function describePerson(cloudId: FederatedCloudId, publicUrl: string): DescribedPerson {
  const written = `${cloudId.user}@${peerKeyOf(cloudId)}`;
  return {
    aliases: cloudId.path === '' ? [`acct:${written}`] : [],
    links: [{ rel: CLOUD_ID, ...{ href: `${publicUrl}/`, properties: { [CLOUD_ID]: written } } }],
  };
}

/**
 * Accounts that a descriptor names for a mail address, best first, at most two: our own property, then other `acct:` addresses that the
 * domain declares to be the same person (RFC 7033, 4.4.1 and 4.4.2). The caller has to find out whether their hosts take shares.
 * @returns undefined if the text is no descriptor
 */
export function readPersonsAccounts(text: string, asked: MailAddress): FederatedCloudId[] | undefined {
  const descriptor = parseBoundedJson(text) as {
    subject?: unknown;
    aliases?: unknown;
    links?: unknown;
  } | null;
  if (typeof descriptor !== 'object' || descriptor === null || Array.isArray(descriptor)) return undefined;
  const named = listOf(descriptor.links).map((link) => propertyOf(link));
  const same = [descriptor.subject, ...listOf(descriptor.aliases)].map((entry) =>
    typeof entry === 'string' && /^acct:/i.test(entry) ? decoded(entry.slice('acct:'.length)) : undefined,
  );
  const accounts = new Map<string, FederatedCloudId>();
  for (const written of [...named, ...same]) {
    if (written === undefined || written.toLowerCase() === asked.text) continue;
    const id = accountOf(written);
    if (id && !accounts.has(id.canonical)) accounts.set(id.canonical, id);
  }
  return [...accounts.values()].slice(0, MOST_ACCOUNTS);
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, MOST_ENTRIES) : [];

function propertyOf(link: unknown): string | undefined {
  const { rel, properties } = (link ?? {}) as { rel?: unknown; properties?: unknown };
  const value = rel === CLOUD_ID ? (properties as Record<string, unknown> | null)?.[CLOUD_ID] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function accountOf(text: string): FederatedCloudId | undefined {
  try {
    return parseCloudId(text);
  } catch (error) {
    if (error instanceof CloudIdInvalid) return undefined;
    throw error;
  }
}
