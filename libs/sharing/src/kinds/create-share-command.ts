import type { ShareAttribute } from '../domain/attributes';

/** A parsed request for a new share; undefined members were not sent. */
export interface CreateShareCommand {
  readonly path: string | undefined;
  readonly shareType: number;
  readonly shareWith: string | undefined;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
  /** Note to the recipients; empty for none. */
  readonly note: string | undefined;
  /** For links only, as are the next two members. */
  readonly publicUpload: boolean | undefined;
  /** Empty: no password. */
  readonly password: string | undefined;
  readonly name: string | undefined;
}
