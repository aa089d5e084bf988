import type { Queryable } from '../../database';
import {
  ABORT,
  ADOPT,
  ALL_OF_USER,
  COUNT,
  EXPIRY_DAYS,
  FINISH,
  INSERT,
  LOCK,
  OF_SHARE,
  OF_USER,
  PART,
  PARTS,
  PUT_PART,
  REMOVE,
  REMOVE_EXPIRED,
  REMOVE_PART,
  type UploadKind,
  type UploadPart,
  type UploadRow,
  type UploadSender,
  type UploadDeclaration,
} from './upload-statements';

interface NewUpload {
  readonly kind: UploadKind;
  readonly name: string;
  readonly sender: UploadSender;
  readonly storageId: number;
  readonly target: string | null;
  readonly totalSize: number | null;
  readonly replacesBytes: number;
  readonly told: UploadDeclaration;
}

/** Stores which parts of uploads have arrived; their bytes are in the blob store. */
export class UploadRepository {
  constructor(private readonly database: Queryable) {}

  async find(sender: UploadSender, name: string): Promise<UploadRow | undefined> {
    const [row] =
      'uid' in sender
        ? await this.database.rows(OF_USER, { uid: sender.uid, name })
        : await this.database.rows(OF_SHARE, { shareId: sender.shareId, name });
    return row;
  }

  /** All uploads of a user with one protocol, in the order of their names. */
  ofUser(uid: string, kind: UploadKind): Promise<UploadRow[]> {
    return this.database.rows(ALL_OF_USER, { uid, kind });
  }

  /** @returns undefined if the sender already has one with this name */
  async insert({ sender, ...upload }: NewUpload): Promise<UploadRow | undefined> {
    const values = { ...upload, ...keysOf(sender), told: JSON.stringify(upload.told) };
    return (await this.database.rows(INSERT, values))[0];
  }

  /** Whether the sender has the maximum number of unfinished uploads. @param fallback the maximum without a setting */
  async isFull(sender: UploadSender, fallback: number): Promise<boolean> {
    const [row] = await this.database.rows(COUNT, { ...keysOf(sender), fallback });
    const { uploads, allowed } = row!;
    return allowed > 0 && uploads >= allowed;
  }

  /** Locks an upload in a transaction before its parts change, or it is aborted. @returns undefined if it has ended */
  async lock(id: number): Promise<{ receivedBytes: number; revision: number; parts: number } | undefined> {
    return (await this.database.rows(LOCK, { id }))[0];
  }

  async part(id: number, name: string): Promise<UploadPart | undefined> {
    return (await this.database.rows(PART, { id, name }))[0];
  }

  /** Parts in the byte order of their names. */
  parts(id: number): Promise<UploadPart[]> {
    return this.database.rows(PARTS, { id });
  }

  /** Adds a part to a locked upload. @param replacedBytes size of an earlier part with the same name */
  async putPart(id: number, part: Omit<UploadPart, 'storedAt'>, replacedBytes: number): Promise<void> {
    await this.database.rows(PUT_PART, { id, ...part, replacedBytes });
  }

  /** Removes a part of a locked upload. @returns the key of its bytes */
  async removePart(id: number, name: string): Promise<string | undefined> {
    return (await this.database.rows(REMOVE_PART, { id, name }))[0]?.blobKey;
  }

  /** Removes an upload if its parts have not changed. @returns whether it was removed */
  async remove({ id, revision }: Pick<UploadRow, 'id' | 'revision'>): Promise<boolean> {
    return (await this.database.rows(REMOVE, { id, revision })).length > 0;
  }

  /** The same, but stores until expiry which file it became. */
  async finish({ id, revision }: Pick<UploadRow, 'id' | 'revision'>, nodeId: number): Promise<boolean> {
    return (await this.database.rows(FINISH, { id, revision, nodeId })).length > 0;
  }

  /** Moves the parts of an upload to another one, and ends the first. @param prefix of the parts' names there */
  async adopt(id: number, from: number, prefix: string): Promise<void> {
    await this.database.rows(ADOPT, { id, from, prefix });
  }

  /** Removes a locked upload. @returns the keys of its parts */
  async abort(id: number): Promise<string[]> {
    return (await this.database.rows(ABORT, { id })).map(({ blobKey }) => blobKey);
  }

  /**
   * Removes at most `limit` uploads without new parts for some days; uploads that are being changed are left out.
   * @param days number of days without a setting
   */
  async removeExpired(days: number, limit: number): Promise<{ uploads: number; blobKeys: string[] }> {
    return (await this.database.rows(REMOVE_EXPIRED, { days, limit }))[0]!;
  }

  /** Days for which an upload is kept after its last part. @param fallback number without a setting */
  async expiryDays(fallback: number): Promise<number> {
    return (await this.database.rows(EXPIRY_DAYS, { days: fallback }))[0]!.days;
  }
}

const keysOf = (sender: UploadSender): { readonly uid: string | null; readonly shareId: number | null } =>
  'uid' in sender ? { uid: sender.uid, shareId: null } : { uid: null, shareId: sender.shareId };
