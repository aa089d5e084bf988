import { Injectable } from '@nestjs/common';
import { OcsFailure } from '#ocs/http';
import { PrivateValueRepository, type PrivateValue } from '#persistence';

const NAME = /^[^\p{Cc}]{1,255}$/u;
const MAX_CHARACTERS = 65_536;
const INSUFFICIENT_STORAGE = 507;

/** Values that clients store for users, within limits. */
@Injectable()
export class PrivateValues {
  constructor(private readonly values: PrivateValueRepository) {}

  /** @param names of an app and a key; all values without them @throws OcsFailure 400 */
  find(uid: string, ...names: string[]): Promise<PrivateValue[]> {
    const [app, key] = names.map(nameIn);
    return this.values.find(uid, app, key);
  }

  /** @throws OcsFailure 400; 507 if the user has too many */
  async keep(uid: string, { app, key, value }: PrivateValue): Promise<void> {
    if (value.length > MAX_CHARACTERS || value.includes('\0'))
      throw new OcsFailure(400, 'The value is refused');
    if (!(await this.values.keep(uid, { app: nameIn(app), key: nameIn(key), value })))
      throw new OcsFailure(INSUFFICIENT_STORAGE, 'There are too many values');
  }

  /** @throws OcsFailure 400 */
  remove(uid: string, app: string, key: string): Promise<void> {
    return this.values.remove(uid, nameIn(app), nameIn(key));
  }
}

/** @throws OcsFailure 400 */
function nameIn(part: string): string {
  if (!NAME.test(part)) throw new OcsFailure(400, 'Names have 1 to 255 characters');
  return part;
}
