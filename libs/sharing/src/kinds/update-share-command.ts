import type { ShareAttribute } from '../domain/attributes';

/** A parsed update; undefined members were not sent. */
export interface UpdateShareCommand {
  readonly id: number;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
  /** Note to the recipients; empty: remove it. */
  readonly note: string | undefined;
  /** For links only, as are the next two members. */
  readonly publicUpload: boolean | undefined;
  /** Empty: remove it. */
  readonly password: string | undefined;
  /** Empty: clear it. */
  readonly name: string | undefined;
  /** Number of arguments of the interface document that were sent, including those of links. `attributes` and `note` do not count. */
  readonly argumentCount: number;
}
