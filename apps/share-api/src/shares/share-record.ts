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
import {
  kindOf,
  SHARE_KINDS,
  SHARE_TYPES,
  STATE_NUMBERS,
  type FederatedShare,
  type RecordNames,
  type Share,
  type ShareKinds,
  type SharingPolicy,
  type ShareView,
} from '#sharing';

type Scalar = string | number | null;

/** A field's name in both formats, made once. */
interface Field {
  readonly json: string;
  readonly open: string;
  readonly close: string;
  readonly empty: string;
}

const field = (name: string): Field => ({
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
  deliveryState: field('delivery_state'),
  deliveryAttempts: field('delivery_attempts'),
  deliveryNextAttempt: field('delivery_next_attempt'),
  deliveryError: field('delivery_error'),
  acceptance: field('acceptance'),
  acceptanceSource: field('acceptance_source'),
} as const;

/** Takes the fields of a record in their order. */
interface RecordWriter {
  add(field: Field, value: Scalar): void;
}

class JsonRecord implements RecordWriter {
  text = '';

  add(field: Field, value: Scalar): void {
    const separator = this.text === '' ? '{' : ',';
    this.text += separator + field.json + (typeof value === 'string' ? jsonText(value) : String(value));
  }
}

class XmlRecord implements RecordWriter {
  text = '';

  constructor(private readonly indent: string) {}

  add(field: Field, value: Scalar): void {
    if (value === null) this.text += this.indent + field.empty;
    else
      this.text +=
        this.indent + field.open + (typeof value === 'string' ? xmlText(value) : String(value)) + field.close;
  }
}

/** Accounts that the records name, the fields of them that may be shown, and the viewer's tags. */
export interface RecordContext {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly additionalInfo: SharingPolicy['additionalInfo'];
  /** Address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** The kinds that exist, where it is not given. */
  readonly kinds?: ShareKinds;
  /** Tags by node id; undefined where they were not asked for. */
  readonly tags?: ReadonlyMap<number, readonly string[]>;
}

/** User ids that `views` name. */
export function uidsIn(views: readonly ShareView[]): Set<string> {
  const uids = new Set<string>();
  for (const { share } of views) {
    uids.add(share.initiatorUid).add(share.node.ownerUid);
    if (share.type === SHARE_TYPES.user) uids.add(share.recipientUid);
  }
  return uids;
}

/** The record's fields in the order clients know. Source: ocs-facts 4. */
function writeRecord(out: RecordWriter, view: ShareView, context: RecordContext): void {
  const { share } = view;
  out.add(F.id, String(share.id));
  out.add(F.shareType, share.type);
  out.add(F.uidOwner, share.initiatorUid);
  out.add(F.displaynameOwner, displayName(context, share.initiatorUid));
  out.add(F.permissions, view.permissions);
  out.add(F.stime, share.createdAtSeconds);
  out.add(F.parent, null);
  out.add(F.expiration, share.expiresOn === null ? null : `${share.expiresOn} 00:00:00`);
  out.add(F.token, 'shareToken' in share ? share.shareToken : null);
  const fileOwner = fileOwnerOf(share);
  out.add(F.uidFileOwner, fileOwner);
  out.add(F.displaynameFileOwner, displayName(context, fileOwner));
  addInfo(out, F.additionalInfoOwner, context, share.initiatorUid);
  addInfo(out, F.additionalInfoFileOwner, context, fileOwner);
  if (view.state !== undefined) out.add(F.state, STATE_NUMBERS[view.state]);
  writeNode(out, view);
  out.add(F.fileTarget, view.fileTarget);
  writeRecipient(out, view, context);
  out.add(F.mailSend, share.mailSent ? 1 : 0);
  out.add(F.attributes, share.attributes);
  if (share.type === SHARE_TYPES.federated) writeProgress(out, share);
}

/**
 * The owner of a share that the owner's server made on request is at that server; no further information about them is
 * kept here.
 */
const fileOwnerOf = (share: Share): string =>
  share.type === SHARE_TYPES.federated && share.remoteOwner !== null
    ? share.remoteOwner
    : share.node.ownerUid;

/** Fields beyond those of deployed servers, behind all others: clients that do not know them pass them over. */
function writeProgress(out: RecordWriter, { delivery, acceptance, acceptanceSource }: FederatedShare): void {
  out.add(F.deliveryState, delivery.state);
  out.add(F.deliveryAttempts, delivery.attempts);
  out.add(F.deliveryNextAttempt, delivery.nextAttemptAtSeconds);
  out.add(F.deliveryError, delivery.error);
  out.add(F.acceptance, acceptance);
  out.add(F.acceptanceSource, acceptanceSource);
}

function writeNode(out: RecordWriter, view: ShareView): void {
  const { node } = view.share;
  out.add(F.path, view.path);
  out.add(F.mimetype, node.mimetype);
  out.add(F.storageId, view.mountTarget === null ? `home::${node.ownerUid}` : `shared::${view.mountTarget}`);
  out.add(F.storage, node.storageId);
  out.add(F.itemType, node.kind);
  out.add(F.itemSource, node.nodeId);
  out.add(F.fileSource, node.nodeId);
  out.add(F.fileParent, view.parentId);
}

function writeRecipient(out: RecordWriter, { share }: ShareView, context: RecordContext): void {
  const names: RecordNames = {
    publicUrl: context.publicUrl,
    displayName: (uid) => displayName(context, uid),
    additionalInfo: (uid) => additionalInfo(context, uid),
  };
  const kind = kindOf(context.kinds ?? SHARE_KINDS, share.type);
  for (const [name, value] of kind.recipientFields(share, names))
    if (value !== undefined) out.add(F[name], value);
}

function displayName(context: RecordContext, uid: string): string {
  return context.accounts.get(uid)?.displayName ?? uid;
}

/** Present for local users only. */
function addInfo(out: RecordWriter, field: Field, context: RecordContext, uid: string): void {
  const info = additionalInfo(context, uid);
  if (info !== undefined) out.add(field, info);
}

function additionalInfo(context: RecordContext, uid: string): string | null | undefined {
  const account = context.accounts.get(uid);
  if (!account) return undefined;
  const { additionalInfo: shown } = context;
  return shown === 'email' ? account.email : shown === 'id' ? account.uid : null;
}

function tagsOf(view: ShareView, context: RecordContext): OcsValue | undefined {
  return context.tags && (context.tags.get(view.share.node.nodeId) ?? []);
}

function recordJson(view: ShareView, context: RecordContext): string {
  const record = new JsonRecord();
  writeRecord(record, view, context);
  const tags = tagsOf(view, context);
  return tags === undefined ? `${record.text}}` : `${record.text},"tags":${writeJson(tags)}}`;
}

function recordXml(view: ShareView, context: RecordContext, indent: string): string {
  const record = new XmlRecord(indent);
  writeRecord(record, view, context);
  const tags = tagsOf(view, context);
  return tags === undefined ? record.text : record.text + writeXml('tags', tags, indent.length);
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
