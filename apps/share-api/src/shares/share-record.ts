import type { Account } from '#identity';
import {
  jsonText,
  writeJson,
  writeXml,
  xmlText,
  type OcsValue,
  type RenderedData,
  type StreamedData,
} from '#ocs/protocol';
import { SHARE_TYPES, STATE_NUMBERS, type SharingPolicy, type ShareView } from '#sharing';

type Scalar = string | number | null;

/** A field's name in both formats, made once. */
interface Field {
  readonly json: string;
  readonly name: string;
  readonly open: string;
  readonly close: string;
  readonly empty: string;
}

const field = (name: string): Field => ({
  name,
  json: `"${name}":`,
  open: `<${name}>`,
  close: `</${name}>\n`,
  empty: `<${name}/>\n`,
});

const F = {
  id: field('id'),
  shareType: field('share_type'),
  uidOwner: field('uid_owner'),
  displaynameOwner: field('displayname_owner'),
  permissions: field('permissions'),
  stime: field('stime'),
  parent: field('parent'),
  expiration: field('expiration'),
  token: field('token'),
  uidFileOwner: field('uid_file_owner'),
  displaynameFileOwner: field('displayname_file_owner'),
  additionalInfoOwner: field('additional_info_owner'),
  additionalInfoFileOwner: field('additional_info_file_owner'),
  state: field('state'),
  path: field('path'),
  mimetype: field('mimetype'),
  storageId: field('storage_id'),
  storage: field('storage'),
  itemType: field('item_type'),
  itemSource: field('item_source'),
  fileSource: field('file_source'),
  fileParent: field('file_parent'),
  fileTarget: field('file_target'),
  shareWith: field('share_with'),
  shareWithDisplayname: field('share_with_displayname'),
  shareWithUserType: field('share_with_user_type'),
  shareWithAdditionalInfo: field('share_with_additional_info'),
  name: field('name'),
  url: field('url'),
  mailSend: field('mail_send'),
  attributes: field('attributes'),
} as const;

type Fields = [Field, Scalar][];

/** Who is named in the records, what of them may be shown, and the viewer's tags. */
export interface RecordContext {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly additionalInfo: SharingPolicy['additionalInfo'];
  /** Address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** Tags by node id; undefined where they were not asked for. */
  readonly tags?: ReadonlyMap<number, readonly string[]>;
}

/** Who is named in `views`. */
export function uidsIn(views: readonly ShareView[]): Set<string> {
  const uids = new Set<string>();
  for (const { share } of views) {
    uids.add(share.initiatorUid).add(share.node.ownerUid);
    if (share.type === SHARE_TYPES.user) uids.add(share.recipientUid);
  }
  return uids;
}

/** The record's fields in the order clients know. Source: reference 2.1. */
function fieldsOf(view: ShareView, context: RecordContext): Fields {
  const { share } = view;
  const { node } = share;
  const folder = node.kind === 'folder';
  const fields: Fields = [
    [F.id, String(share.id)],
    [F.shareType, share.type],
    [F.uidOwner, share.initiatorUid],
    [F.displaynameOwner, displayName(context, share.initiatorUid)],
    [F.permissions, view.permissions],
    [F.stime, share.createdAtSeconds],
    [F.parent, null],
    [F.expiration, share.expiresOn === null ? null : `${share.expiresOn} 00:00:00`],
    [F.token, share.type === SHARE_TYPES.link ? share.shareToken : null],
    [F.uidFileOwner, node.ownerUid],
    [F.displaynameFileOwner, displayName(context, node.ownerUid)],
    ...additionalInfo(F.additionalInfoOwner, context, share.initiatorUid),
    ...additionalInfo(F.additionalInfoFileOwner, context, node.ownerUid),
  ];
  if (view.state !== undefined) fields.push([F.state, STATE_NUMBERS[view.state]]);
  fields.push(
    [F.path, view.path],
    [F.mimetype, node.mimetype],
    [F.storageId, view.mountTarget === null ? `home::${node.ownerUid}` : `shared::${view.mountTarget}`],
    [F.storage, node.storageId],
    [F.itemType, folder ? 'folder' : 'file'],
    [F.itemSource, node.nodeId],
    [F.fileSource, node.nodeId],
    [F.fileParent, view.parentId],
    [F.fileTarget, view.fileTarget],
    ...recipientFields(view, context),
    [F.mailSend, share.mailSent ? 1 : 0],
    [F.attributes, share.attributes],
  );
  return fields;
}

/** Stands where a password is set; nobody gets to see any of it. */
const REDACTED = '***redacted***';

function recipientFields({ share }: ShareView, context: RecordContext): Fields {
  switch (share.type) {
    case SHARE_TYPES.user:
      return [
        [F.shareWith, share.recipientUid],
        [F.shareWithDisplayname, displayName(context, share.recipientUid)],
        [F.shareWithUserType, 0],
        ...additionalInfo(F.shareWithAdditionalInfo, context, share.recipientUid),
      ];
    case SHARE_TYPES.group:
      return [
        [F.shareWith, share.recipientGid],
        [F.shareWithDisplayname, share.recipientGid],
      ];
    case SHARE_TYPES.link: {
      const redacted: Fields = share.hasPassword
        ? [
            [F.shareWith, REDACTED],
            [F.shareWithDisplayname, REDACTED],
          ]
        : [];
      return [
        ...redacted,
        [F.name, share.name],
        [F.url, `${context.publicUrl}/index.php/s/${share.shareToken}`],
      ];
    }
  }
}

function displayName(context: RecordContext, uid: string): string {
  return context.accounts.get(uid)?.displayName ?? uid;
}

/** Present for local users only. */
function additionalInfo(name: Field, context: RecordContext, uid: string): Fields {
  const account = context.accounts.get(uid);
  if (!account) return [];
  if (context.additionalInfo === 'email') return [[name, account.email]];
  return [[name, context.additionalInfo === 'id' ? account.uid : null]];
}

const json = (value: Scalar): string => (typeof value === 'string' ? jsonText(value) : String(value));
const xml = (value: string | number): string => (typeof value === 'string' ? xmlText(value) : String(value));

function tagsOf(view: ShareView, context: RecordContext): OcsValue | undefined {
  return context.tags && (context.tags.get(view.share.node.nodeId) ?? []);
}

function recordJson(view: ShareView, context: RecordContext): string {
  let text = '';
  for (const [name, value] of fieldsOf(view, context))
    text += `${text === '' ? '{' : ','}${name.json}${json(value)}`;
  const tags = tagsOf(view, context);
  return tags === undefined ? `${text}}` : `${text},"tags":${writeJson(tags)}}`;
}

function recordXml(view: ShareView, context: RecordContext, indent: string): string {
  let text = '';
  for (const [name, value] of fieldsOf(view, context))
    text += value === null ? indent + name.empty : indent + name.open + xml(value) + name.close;
  const tags = tagsOf(view, context);
  return tags === undefined ? text : text + writeXml('tags', tags, indent.length);
}

/** The record of one share directly under `data`, as create and update answer. */
export function shareRecord(view: ShareView, context: RecordContext): RenderedData {
  return {
    toJson: () => recordJson(view, context),
    toXml: () => ` <data>\n${recordXml(view, context, '  ')} </data>\n`,
  };
}

const recordsJson = (views: readonly ShareView[], context: RecordContext): string =>
  views.map((view) => recordJson(view, context)).join(',');

const recordsXml = (views: readonly ShareView[], context: RecordContext): string =>
  views.map((view) => `  <element>\n${recordXml(view, context, '   ')}  </element>\n`).join('');

/** Records as a list, as every other call answers. */
export function shareRecords(views: readonly ShareView[], context: RecordContext): RenderedData {
  return {
    toJson: () => `[${recordsJson(views, context)}]`,
    toXml: () => (views.length === 0 ? ' <data/>\n' : ` <data>\n${recordsXml(views, context)} </data>\n`),
  };
}

/** Part of a long list. */
export interface RecordPage {
  readonly views: readonly ShareView[];
  readonly context: RecordContext;
}

/** The same list as shareRecords gives, a page at a time. */
export function streamedRecords(pages: () => AsyncIterable<RecordPage>): StreamedData {
  return { pieces: (format) => (format === 'json' ? jsonPieces(pages()) : xmlPieces(pages())) };
}

async function* jsonPieces(pages: AsyncIterable<RecordPage>): AsyncGenerator<string> {
  let opening = '[';
  for await (const { views, context } of pages) {
    if (views.length === 0) continue;
    yield opening + recordsJson(views, context);
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
