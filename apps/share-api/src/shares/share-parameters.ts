import type { OcsParameters } from '#ocs/protocol';
import { leadingInteger } from '#ocs/protocol';
import {
  parseAttributes,
  parsePage,
  type CreateShareCommand,
  type ListSharesCommand,
  type UpdateShareCommand,
} from '#sharing';

/** A share id of a path: digits only; everything else is an id that no share has. */
export function parseShareId(raw: string): number {
  return /^\d{1,15}$/.test(raw) ? Number(raw) : 0;
}

export function createCommandOf(parameters: OcsParameters): CreateShareCommand {
  return {
    path: parameters.text('path'),
    shareType: parameters.integer('shareType') ?? -1,
    shareWith: parameters.text('shareWith'),
    ...commonArgumentsOf(parameters),
  };
}

function commonArgumentsOf(parameters: OcsParameters) {
  return {
    permissions: parameters.integer('permissions'),
    expireDate: parameters.text('expireDate'),
    attributes: parameters.has('attributes') ? parseAttributes(parameters.raw('attributes')) : undefined,
    publicUpload: switchOf(parameters.text('publicUpload')),
    password: parameters.text('password'),
    name: parameters.text('name'),
  };
}

/** Only the words `true` and `false` switch anything. */
function switchOf(text: string | undefined): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** What an update can carry; password, name and publicUpload act on public links. */
const UPDATE_ARGUMENTS = ['permissions', 'password', 'publicUpload', 'expireDate', 'name', 'attributes'];

export function updateCommandOf(id: number, parameters: OcsParameters): UpdateShareCommand {
  return {
    id,
    ...commonArgumentsOf(parameters),
    argumentCount: UPDATE_ARGUMENTS.filter((name) => parameters.has(name)).length,
  };
}

export function listCommandOf(parameters: OcsParameters): ListSharesCommand {
  const types = parameters.text('share_types');
  return {
    sharedWithMe: isTrue(parameters, 'shared_with_me'),
    state: parameters.text('state'),
    reshares: isTrue(parameters, 'reshares'),
    subfiles: isTrue(parameters, 'subfiles'),
    path: parameters.text('path'),
    page: parsePage(parameters.text('limit'), parameters.text('cursor')),
    shareTypes: types
      ? types
          .split(',', 32)
          .map(leadingInteger)
          .filter((type) => type >= 0 && type < 100)
      : undefined,
  };
}

/** Any text but the empty one and `0` asks for tags, even `false`. */
export function wantsTags(parameters: OcsParameters): boolean {
  const text = parameters.text('include_tags');
  return text !== undefined && text !== '' && text !== '0';
}

function isTrue(parameters: OcsParameters, name: string): boolean {
  return parameters.text(name) === 'true';
}
