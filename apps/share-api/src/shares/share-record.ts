import type { Account } from '#identity';
import { jsonOf, writeXml, xmlText, type RenderedData, type StreamedData } from '#ocs/protocol';
import {
  kindOf,
  SHARE_KINDS,
  STATE_NUMBERS,
  typeForClients,
  type RecordNames,
  type Share,
  type ShareKinds,
  type SharingPolicy,
  type ShareView,
} from '#sharing';

import { memberRecord, type ShownMembers } from './group-share-members';

/** Accounts in the records, the fields of them that may be shown, and the viewer's tags. */
export interface RecordContext {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly additionalInfo: SharingPolicy['additionalInfo'];
  /** Address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** Default: all existing kinds. */
  readonly kinds?: ShareKinds;
  /** The share's group members at partners; undefined if there are none. */
  readonly members?: ShownMembers | undefined;
  /** Tags by node id; undefined if they were not requested. */
  readonly tags?: ReadonlyMap<number, readonly string[]>;
}

/** User ids in `views`. */
export function uidsIn(views: readonly ShareView[]): Set<string> {
  const uids = new Set<string>();
  for (const { share } of views) {
    uids.add(share.initiatorUid).add(share.node.ownerUid);
    if ('recipientUid' in share) uids.add(share.recipientUid);
  }
  return uids;
}

/** The record's fields in the order that clients know; undefined ones are left out. Source: ocs-facts 4. */
function recordOf(view: ShareView, context: RecordContext) {
  const { share } = view;
  const { node } = share;
  const fileOwner = fileOwnerOf(share);
  const requester = 'requester' in share ? share.requester : null;
  const recipient = recipientOf(share, context);
  const progress = 'delivery' in share ? share : undefined;
  return {
    id: String(share.id),
    share_type: typeForClients(share),
    uid_owner: requester ?? share.initiatorUid,
    displayname_owner: requester ?? displayName(context, share.initiatorUid),
    permissions: view.permissions,
    stime: share.createdAtSeconds,
    parent: null,
    expiration: share.expiresOn === null ? null : `${share.expiresOn} 00:00:00`,
    token: 'shareToken' in share ? share.shareToken : null,
    uid_file_owner: fileOwner,
    displayname_file_owner: displayName(context, fileOwner),
    // Present for local users only.
    additional_info_owner: requester === null ? additionalInfo(context, share.initiatorUid) : undefined,
    additional_info_file_owner: additionalInfo(context, fileOwner),
    state: view.state && STATE_NUMBERS[view.state],
    path: view.path,
    mimetype: node.mimetype,
    storage_id: view.mountTarget === null ? `home::${node.ownerUid}` : `shared::${view.mountTarget}`,
    storage: node.storageId,
    item_type: node.kind,
    item_source: node.nodeId,
    file_source: node.nodeId,
    file_parent: view.parentId,
    file_target: view.fileTarget,
    share_with: recipient.shareWith,
    share_with_displayname: recipient.shareWithDisplayname,
    share_with_user_type: recipient.shareWithUserType,
    share_with_additional_info: recipient.shareWithAdditionalInfo,
    name: recipient.name,
    url: recipient.url,
    mail_send: share.mailSent ? 1 : 0,
    attributes: share.attributes,
    // Additions to the fields of deployed servers, placed last: clients that do not know them ignore them.
    delivery_state: progress?.delivery.state,
    delivery_attempts: progress?.delivery.attempts,
    delivery_next_attempt: progress?.delivery.nextAttemptAtSeconds,
    delivery_error: progress?.delivery.error,
    acceptance: progress?.acceptance,
    acceptance_source: progress?.acceptanceSource,
    note: share.note ?? undefined,
    remote_members_total: context.members?.total,
    remote_members_accepted: context.members?.accepted,
    remote_members_ended: context.members?.ended,
    remote_members: context.members?.members.map(memberRecord),
    tags: context.tags && (context.tags.get(node.nodeId) ?? []),
  };
}

type ShareRecord = ReturnType<typeof recordOf>;

/**
 * If the owner's server made a share on request, its owner is at that server; no further facts about them are
 * stored here.
 */
const fileOwnerOf = (share: Share): string =>
  'remoteOwner' in share && share.remoteOwner !== null ? share.remoteOwner : share.node.ownerUid;

function recipientOf(share: Share, context: RecordContext) {
  const names: RecordNames = {
    publicUrl: context.publicUrl,
    displayName: (uid) => displayName(context, uid),
    additionalInfo: (uid) => additionalInfo(context, uid),
  };
  return kindOf(context.kinds ?? SHARE_KINDS, share.type).recipientFields(share, names);
}

function displayName(context: RecordContext, uid: string): string {
  return context.accounts.get(uid)?.displayName ?? uid;
}

function additionalInfo(context: RecordContext, uid: string): string | null | undefined {
  const account = context.accounts.get(uid);
  if (!account) return undefined;
  const { additionalInfo: shown } = context;
  return shown === 'email' ? account.email : shown === 'id' ? account.uid : null;
}

/** Tags of each field's element, with its indent and line end. */
class FieldTags {
  private readonly tags = new Map<string, { readonly start: string; readonly end: string }>();

  constructor(readonly depth: number) {}

  /** @param name one of the record's fields: there are some forty */
  of(name: string): { readonly start: string; readonly end: string } {
    const known = this.tags.get(name);
    if (known) return known;
    const tags = { start: `${' '.repeat(this.depth)}<${name}`, end: `</${name}>\n` };
    this.tags.set(name, tags);
    return tags;
  }
}

const TAGS_OF_ONE = new FieldTags(2);
const TAGS_IN_LIST = new FieldTags(3);

/** XML elements of the record's fields. Long pieces are added to one text, which takes half the time of joining short ones. */
function recordXml(view: ShareView, context: RecordContext, tags: FieldTags): string {
  const record = recordOf(view, context);
  let xml = '';
  for (const name in record) {
    const value = record[name as keyof ShareRecord];
    if (value === undefined) continue;
    const { start, end } = tags.of(name);
    if (value === null) xml += `${start}/>\n`;
    else if (typeof value === 'object') xml += writeXml(name, value, tags.depth);
    else xml += `${start}>${typeof value === 'string' ? xmlText(value) : value}${end}`;
  }
  return xml;
}

/** The record of one share directly under `data`, for create and update. */
export function shareRecord(view: ShareView, context: RecordContext): RenderedData {
  return {
    toJson: () => jsonOf(recordOf(view, context)),
    toXml: () => ` <data>\n${recordXml(view, context, TAGS_OF_ONE)} </data>\n`,
  };
}

/** Records that are written at once: several texts of some 100 kB take half the time of one that is much longer. */
const WRITTEN_AT_ONCE = 100;

/** A list in brackets. */
function recordsJson(views: readonly ShareView[], context: RecordContext): string {
  const written = (some: readonly ShareView[]): string => jsonOf(some.map((view) => recordOf(view, context)));
  if (views.length <= WRITTEN_AT_ONCE) return written(views);
  const parts: string[] = [];
  for (let at = 0; at < views.length; at += WRITTEN_AT_ONCE)
    parts.push(written(views.slice(at, at + WRITTEN_AT_ONCE)).slice(1, -1));
  return `[${parts.join(',')}]`;
}

const recordsXml = (views: readonly ShareView[], context: RecordContext): string =>
  views.map((view) => `  <element>\n${recordXml(view, context, TAGS_IN_LIST)}  </element>\n`).join('');

/** Records as a list, for all other calls. */
export function shareRecords(views: readonly ShareView[], context: RecordContext): RenderedData {
  return {
    toJson: () => recordsJson(views, context),
    toXml: () => (views.length === 0 ? ' <data/>\n' : ` <data>\n${recordsXml(views, context)} </data>\n`),
  };
}

/** Part of a long list. */
export interface RecordPage {
  readonly views: readonly ShareView[];
  readonly context: RecordContext;
}

/** The same list as from shareRecords, one page at a time. */
export function streamedRecords(pages: () => AsyncIterable<RecordPage>): StreamedData {
  return { pieces: (format) => (format === 'json' ? jsonPieces(pages()) : xmlPieces(pages())) };
}

async function* jsonPieces(pages: AsyncIterable<RecordPage>): AsyncGenerator<string> {
  let opening = '[';
  for await (const { views, context } of pages) {
    if (views.length === 0) continue;
    yield opening + recordsJson(views, context).slice(1, -1);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}

async function* xmlPieces(pages: AsyncIterable<RecordPage>): AsyncGenerator<string> {
  let opening = ' <data>\n';
  for await (const { views, context } of pages) {
    if (views.length === 0) continue;
    yield opening + recordsXml(views, context);
    opening = '';
  }
  yield opening === '' ? ' </data>\n' : ' <data/>\n';
}
