import type { ShareAttribute } from '../domain/attributes';

/** An update, as it was parsed; undefined members were not given. */
export interface UpdateShareCommand {
  readonly id: number;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
  /** Words to the recipients; empty: remove them. */
  readonly note: string | undefined;
  /** Links only, as are the next two. */
  readonly publicUpload: boolean | undefined;
  /** Empty: remove it. */
  readonly password: string | undefined;
  /** Empty: clear it. */
  readonly name: string | undefined;
  /** How many of the interface document's arguments were given, those of public links among them; `attributes` and `note` are none. */
  readonly argumentCount: number;
}
