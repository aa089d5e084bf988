import { setImmediate as othersFirst } from 'node:timers/promises';
import { describeEntry } from '#federation/protocol';
import type { RemoteEntry } from '#federation/remote-files';
import { readPath, type NodePath } from '#sharing';
import type { DavResponse } from './multistatus-reader';

/**
 * The requested entry and, with depth 1, its children. Entries that cannot be in the requested folder, or have
 * names that our own nodes could not have, are left out and counted.
 *
 * Hrefs are absolute addresses or paths. Behind a proxy they may begin differently from the requested address: then
 * the first entry counts as the requested one if it ends in the same names.
 * @param askedUrl the address of the list
 * @returns undefined if the requested entry is not in the list
 */
export async function readListing(
  responses: readonly DavResponse[],
  askedUrl: string,
  path: NodePath,
  depth: 0 | 1,
): Promise<readonly RemoteEntry[] | undefined> {
  const asked = segmentsOf(askedUrl) ?? [];
  const placed: Placed[] = [];
  await forEach(responses, (response) => {
    const segments = segmentsOf(response.href);
    if (segments) placed.push({ response, segments });
  });
  const self = placed.find(({ segments }) => isSame(segments, asked)) ?? sameByEnd(placed[0], path);
  if (!self) return undefined;
  const entry = { path, ...describeEntry(self.response.properties, self.response.isFolder) };
  if (depth === 0 || entry.kind === 'file') return [entry];
  const entries = new Map<NodePath, RemoteEntry>([[path, entry]]);
  await forEach(placed, ({ response, segments }) => {
    const childPath = childOf(path, self.segments, segments);
    if (childPath !== undefined && !entries.has(childPath))
      entries.set(childPath, { path: childPath, ...describeEntry(response.properties, response.isFolder) });
  });
  return [...entries.values()];
}

const BREATH_EVERY = 1_000;

/** Long lists pause, so that other work can run. */
async function forEach<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at % BREATH_EVERY === BREATH_EVERY - 1) await othersFirst();
    work(item);
  }
}

/** Decoded names of an href's path; undefined for a broken one. A slash at the end makes no difference. */
function segmentsOf(href: string): readonly string[] | undefined {
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(href);
  const path = isAddress ? href.replace(/^[^:]+:\/\/[^/]*/, '') : href;
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

type Placed = { readonly response: DavResponse; readonly segments: readonly string[] };

function sameByEnd(first: Placed | undefined, path: NodePath): Placed | undefined {
  const names = path.split('/').slice(1);
  const isSameEnd = first && isSame(first.segments.slice(first.segments.length - names.length), names);
  return isSameEnd ? first : undefined;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, at) => name === right[at]);
}

/** The path of a direct child of `parent`; undefined for anything else, and for a name that no node can have. */
function childOf(path: NodePath, parent: readonly string[], child: readonly string[]): NodePath | undefined {
  if (child.length !== parent.length + 1 || !isSame(child.slice(0, -1), parent)) return undefined;
  const found = readPath([...path.split('/').slice(1), child.at(-1)!]);
  return typeof found === 'string' ? found : undefined;
}
