import { textOption, type CommandInput } from './command';
import type { Instance } from './instance';

/** An option that names an account, in the account's own spelling; unchanged if there is no such account. */
export async function accountOption(
  input: CommandInput,
  instance: Instance,
  name: string,
): Promise<string | undefined> {
  const uid = textOption(input, name);
  return uid === undefined ? undefined : (await instance.administration()).users.spelled(uid);
}
