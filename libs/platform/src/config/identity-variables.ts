import * as parse from './parsers';
import { optional, required } from './variable';

/** Variables about an issuer of OpenID Connect at which people sign in. */
export const IDENTITY_VARIABLES = {
  OIDC_ISSUER: optional({
    parse: parse.issuerAddress,
    meaning:
      'Issuer of OpenID Connect whose tokens sign accounts in, exactly as it names itself. When absent, accounts sign in only by passwords of this instance.',
    example: 'https://id.example.org/realms/staff',
  }),
  OIDC_AUDIENCE: optional({
    parse: parse.text,
    meaning:
      'Audience that access tokens have to name, or several with commas between them. Required with OIDC_ISSUER: tokens for other services are refused.',
    example: 'drawbridge',
  }),
  OIDC_ALGORITHMS: required({
    parse: parse.signatureAlgorithms,
    fallback: 'RS256,PS256,ES256,EdDSA',
    meaning: 'Algorithms with which the issuer may sign tokens; algorithms with a shared secret are refused.',
  }),
  OIDC_CLIENT_ID: optional({
    parse: parse.text,
    meaning:
      'Client id of this instance at the issuer: for sign-ins on the pages, and for requests about access tokens that are not JWTs. Both are off when absent.',
    example: 'drawbridge-server',
  }),
  OIDC_CLIENT_SECRET: optional({
    parse: parse.text,
    meaning: 'Secret that belongs to OIDC_CLIENT_ID.',
    example: 'a-long-secret',
    secret: true,
  }),
  OIDC_SCOPES: required({
    parse: parse.scopeList,
    fallback: 'openid profile email',
    meaning: 'Scopes that sign-ins on the pages ask for.',
  }),
  OIDC_LABEL: optional({
    parse: parse.text,
    meaning: 'Name of the issuer on the sign-in page; its host when absent.',
    example: 'Example University',
  }),
  OIDC_SESSION_HOURS: required({
    parse: parse.integer(1, 8760),
    fallback: '12',
    meaning:
      'Hours after which a browser that signed in at the issuer has to do so again; this needs no password while its session there lasts.',
  }),
  OIDC_CREATE_ACCOUNTS: required({
    parse: parse.flag,
    fallback: 'true',
    meaning:
      'Whether people get an account at their first sign-in; otherwise an administrator attaches accounts (drawbridge user attach).',
  }),
  OIDC_UNSEEN_DAYS: optional({
    parse: parse.integer(1, 3650),
    meaning:
      'Days after which an account is disabled if the issuer did not report it by a sign-in or a token; the next sign-in or token enables it again. When absent, accounts stay enabled.',
    example: '30',
  }),
  OIDC_TAKEN_NAMES: required({
    parse: parse.oneOf('suffix', 'refuse'),
    fallback: 'suffix',
    meaning:
      'Answer to a new person whose name belongs to another account: suffix creates a user id with a number, refuse creates no account.',
  }),
  OIDC_ID_CLAIM: required({
    parse: parse.claimName,
    fallback: 'sub',
    meaning:
      'Claim with an id of the person that no other person ever gets: sub, or oid with Entra ID. It is the key of the account.',
  }),
  OIDC_NAME_CLAIM: required({
    parse: parse.claimName,
    fallback: 'preferred_username',
    meaning: 'Claim with the name from which the user id of a new account follows.',
  }),
  OIDC_DISPLAY_NAME_CLAIM: required({
    parse: parse.claimName,
    fallback: 'name',
    meaning: 'Claim with the name that other people see.',
  }),
  OIDC_EMAIL_CLAIM: required({
    parse: parse.claimName,
    fallback: 'email',
    meaning: 'Claim with the mail address.',
  }),
  OIDC_SECOND_FACTOR_ACR: optional({
    parse: parse.nameList,
    meaning: 'Values of the claim acr that mean a second factor; "mfa" in the claim amr always does.',
    example: 'gold',
  }),
  OIDC_QUOTA_CLAIM: optional({
    parse: parse.claimName,
    meaning: 'Claim with the quota, such as "5 GB"; quotas are set by administrators when absent.',
    example: 'quota',
  }),
  OIDC_GROUPS_CLAIM: optional({
    parse: parse.claimName,
    meaning: 'Claim with the list of groups; the issuer gives no groups when absent.',
    example: 'groups',
  }),
  OIDC_GROUPS_OF_SAME_NAME: required({
    parse: parse.oneOf('separate', 'merge'),
    fallback: 'separate',
    meaning:
      'Answer to a group of the issuer whose name exists here: separate gives it an id with a number, merge makes both the same.',
  }),
  OIDC_ALLOWED_GROUPS: optional({
    parse: parse.nameList,
    meaning:
      'Groups of OIDC_GROUPS_CLAIM whose members may sign in; accounts of other people are refused and disabled. When absent, everybody may sign in.',
    example: 'cloud-users,staff',
  }),
  OIDC_ADMIN_GROUPS: optional({
    parse: parse.nameList,
    meaning: 'Groups of OIDC_GROUPS_CLAIM whose members are administrators here.',
    example: 'cloud-admins',
  }),
  OIDC_ADMIN_CLAIM: optional({
    parse: parse.claimName,
    meaning: 'Claim that makes a person an administrator here if it is true.',
    example: 'cloud_admin',
  }),
};
