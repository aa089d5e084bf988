export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0';
export const PATCH_SCHEMA = `${MESSAGES}:PatchOp`;
export const LIST_SCHEMA = `${MESSAGES}:ListResponse`;
export const ERROR_SCHEMA = `${MESSAGES}:Error`;

/** Maximum of resources on a page. */
export const MOST_RESULTS = 200;

type Json = Readonly<Record<string, unknown>>;

interface Facts {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly required?: true;
  readonly isExact?: true;
  readonly mutability?: 'readOnly' | 'immutable';
  readonly uniqueness?: 'server';
  readonly multiValued?: true;
  readonly subAttributes?: readonly Json[];
  readonly referenceTypes?: readonly string[];
}

/** An attribute in the form of RFC 7643, section 7. */
function attribute(name: string, description: string, facts: Facts = {}): Json {
  const { type = 'string', required = false, isExact = false, multiValued = false } = facts;
  const { mutability = 'readWrite', uniqueness = 'none', subAttributes, referenceTypes } = facts;
  return {
    ...{ name, type, multiValued, description, required },
    ...(type === 'string' || type === 'reference' ? { caseExact: isExact } : {}),
    ...{ mutability, returned: 'default', uniqueness },
    ...(subAttributes ? { subAttributes } : {}),
    ...(referenceTypes ? { referenceTypes } : {}),
  };
}

const readOnly = { mutability: 'readOnly' } as const;
const immutable = { mutability: 'immutable' } as const;

const USER_ATTRIBUTES = [
  attribute('userName', 'Name by which the person signs in; the user id is made of the first one.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('displayName', 'Name that is shown to others.'),
  attribute('name', 'Parts of the name.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The whole name.'),
      attribute('familyName', 'Family name.'),
      attribute('givenName', 'Given name.'),
      attribute('middleName', 'Middle name.'),
      attribute('honorificPrefix', 'Title before the name.'),
      attribute('honorificSuffix', 'Title behind the name.'),
    ],
  }),
  attribute('active', 'Whether the person may sign in.', { type: 'boolean' }),
  attribute('emails', 'The mail address; of several the primary one, or the first.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address.'),
      attribute('type', 'Always work.'),
      attribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'Groups of this client that the person is in.', {
    ...readOnly,
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the group.', { ...readOnly, isExact: true }),
      attribute('$ref', 'Address of the group.', {
        ...readOnly,
        type: 'reference',
        isExact: true,
        referenceTypes: ['Group'],
      }),
      attribute('display', 'Name of the group.', readOnly),
      attribute('type', 'Always direct.', readOnly),
    ],
  }),
];

const GROUP_ATTRIBUTES = [
  attribute('displayName', 'Name of the group.', { required: true, uniqueness: 'server' }),
  attribute('members', 'People in the group; those of this client.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the person.', { ...immutable, isExact: true }),
      attribute('$ref', 'Address of the person.', {
        ...immutable,
        type: 'reference',
        isExact: true,
        referenceTypes: ['User'],
      }),
      attribute('type', 'Always User.', immutable),
      attribute('display', 'Name of the person.', readOnly),
    ],
  }),
];

/** Attributes of each kind by their names in lower case, including `externalId` and the common attributes. */
export const ATTRIBUTE_NAMES: Readonly<Record<'User' | 'Group', ReadonlyMap<string, string>>> = {
  User: namesOf(USER_ATTRIBUTES),
  Group: namesOf(GROUP_ATTRIBUTES),
};

function namesOf(attributes: readonly Json[]): ReadonlyMap<string, string> {
  const names = ['id', 'externalId', 'meta', 'schemas', ...attributes.map(({ name }) => String(name))];
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

const META = (resourceType: string, location: string): Json => ({ resourceType, location });

/** The schemas, below the address of the service. */
export const schemasAt = (base: string): readonly Json[] =>
  [
    { id: USER_SCHEMA, name: 'User', description: 'An account', attributes: USER_ATTRIBUTES },
    { id: GROUP_SCHEMA, name: 'Group', description: 'A group of accounts', attributes: GROUP_ATTRIBUTES },
  ].map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: META('Schema', `${base}/Schemas/${schema.id}`),
  }));

export const resourceTypesAt = (base: string): readonly Json[] =>
  [
    { id: 'User', name: 'User', endpoint: '/Users', description: 'Accounts', schema: USER_SCHEMA },
    { id: 'Group', name: 'Group', endpoint: '/Groups', description: 'Groups', schema: GROUP_SCHEMA },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...type,
    meta: META('ResourceType', `${base}/ResourceTypes/${type.id}`),
  }));

export const serviceProviderConfigAt = (base: string): Json => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of the client, which an operator makes.',
      primary: true,
    },
  ],
  meta: META('ServiceProviderConfig', `${base}/ServiceProviderConfig`),
});
