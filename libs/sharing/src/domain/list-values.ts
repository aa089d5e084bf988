import { readHostIdentity, readMailDomain } from '#federation/protocol';

/** A JSON list of group ids, or the older comma-separated form. */
export function parseGroupList(raw: string): string[] | undefined {
  if (raw.length > 65_536) return undefined;
  if (!raw.trimStart().startsWith('['))
    return raw
      .split(',')
      .map((gid) => gid.trim())
      .filter((gid) => gid !== '');
  try {
    const list: unknown = JSON.parse(raw);
    return Array.isArray(list) && list.every((gid) => typeof gid === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Longer lists would make every new file slow. */
const MAX_LISTED = 100;

/** A JSON list of texts that pass `isGood`. */
export function parseTextList(raw: string, isGood: (text: string) => boolean): string | undefined {
  const list = raw.trimStart().startsWith('[') ? parseGroupList(raw) : undefined;
  return list && list.length <= MAX_LISTED && list.every(isGood) ? JSON.stringify(list) : undefined;
}

/** A host in ASCII, with its port if it is not the usual one. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** A list of hosts, in the syntax of group lists. It is stored as canonical hosts, without paths. */
export function parseHosts(raw: string): string | undefined {
  const hosts = parseGroupList(raw)?.map((entry) =>
    entry.includes('://') ? undefined : readHostIdentity(entry),
  );
  return hosts?.every((host) => host !== undefined && HOST.test(host)) ? JSON.stringify(hosts) : undefined;
}

/** A list of `mail.example=cloud.example.org`: for each mail domain the host that is asked for its people. */
export function parseMailServers(raw: string): string | undefined {
  const entries = parseGroupList(raw)?.map((entry) => {
    const [domain, host, more] = entry.split('=');
    const [from, to] = [readMailDomain(domain!.trim()), readHostIdentity(host ?? '')];
    return more === undefined && from && to && HOST.test(to) ? `${from}=${to}` : undefined;
  });
  return entries?.every((entry) => entry !== undefined) && entries.length <= MAX_LISTED
    ? JSON.stringify(entries)
    : undefined;
}
