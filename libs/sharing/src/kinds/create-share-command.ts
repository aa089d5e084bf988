import type { ShareAttribute } from '../domain/attributes';

/** A request for a new share, as it was parsed; undefined members were not given. */
export interface CreateShareCommand {
  readonly path: string | undefined;
  readonly shareType: number;
  readonly shareWith: string | undefined;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
  /** Words to the recipients; empty for none. */
  readonly note: string | undefined;
  /** Links only, as are the next two. */
  readonly publicUpload: boolean | undefined;
  /** Empty: none. */
  readonly password: string | undefined;
  readonly name: string | undefined;
}
