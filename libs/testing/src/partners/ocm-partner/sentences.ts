/**
 * Rules of draft-ietf-ocm-open-cloud-mesh-05 about partners of a strict server, each with its section. The strict
 * partner checks every request and every answer against the named rules.
 */
const SENTENCES = {
  // Terms, OCM API discovery
  'address.form': ['Terms', 'An OCM address is identifier@host[:port], without a scheme and without a path.'],
  'discovery.place': [
    'Discovery',
    'A server is discovered at /.well-known/ocm of its host before it is sent anything.',
  ],
  'discovery.document': [
    'Discovery',
    'The document has enabled, apiVersion, endPoint and resourceTypes; a type has a name, shareTypes with user, and protocols.',
  ],
  'discovery.receives': ['Discovery', 'webdav-receive has a uri that is absolute or relative.'],
  'discovery.token': ['Discovery', 'A server that can exchange tokens names its tokenEndPoint.'],
  // HTTP message signatures
  'signature.tag': ['Signatures', 'Exactly one signature of a request has the tag ocm.'],
  'signature.covers': ['Signatures', 'It covers @method, @target-uri, content-digest and content-length.'],
  'signature.created': ['Signatures', 'It says when it was made, which was a moment ago.'],
  'signature.digest': ['Signatures', 'content-digest has the SHA-256 digest of the body.'],
  'signature.key': [
    'Signatures',
    'Its key is at /.well-known/jwks.json of the signer, and is no shared secret.',
  ],
  'signature.valid': ['Signatures', 'It is the signature of this request by this key.'],
  // Invite flow
  'invite.json': ['Invite flow', 'An acceptance is a POST of application/json.'],
  'invite.members': [
    'Invite flow',
    'It names recipientProvider, token, userID, email and name, all of them texts.',
  ],
  'invite.provider': ['Invite flow', 'recipientProvider is the host of the server that accepts.'],
  'invite.dialog': ['Invite flow', 'A WAYF page leads to the inviteAcceptDialog of the selected server.'],
  'invite.brought': ['Invite flow', 'It adds token, and providerDomain, which is the host that invites.'],
  'invite.answer': ['Invite flow', 'The answer is JSON with userID, email and name.'],
  // Share creation notification
  'share.json': ['Shares', 'An offer is a POST of application/json.'],
  'share.type': ['Shares', 'A share type that the server does not announce is answered 501.'],
  'share.members': [
    'Shares',
    'It names shareWith, name, providerId, owner, sender, shareType, resourceType and protocol.',
  ],
  'share.once': ['Shares', 'Each share has a providerId of its own.'],
  'share.combination': ['Shares', 'Nothing is offered that the server does not announce.'],
  'share.protocol': [
    'Shares',
    'webdav has uri and sharedSecret; the options of older versions are not there beside it.',
  ],
  'share.description': ['Shares', 'A description is a text.'],
  'share.permissions': ['Shares', 'permissions are of read, write and share.'],
  'share.exchange': [
    'Shares',
    'A server that demands must-exchange-token is offered no protocol without that requirement.',
  ],
  'share.secret': ['Shares', 'The secret is in no address.'],
  'share.answer': ['Shares', 'A share that is taken is answered 201 with recipientDisplayName.'],
  // Notifications
  'notification.json': ['Notifications', 'A notification is a POST of application/json.'],
  'notification.type': ['Notifications', 'Its type is one of the registered ones.'],
  'notification.share': [
    'Notifications',
    'Its providerId is that of the offer, and it comes from the other side of that share.',
  ],
  // Resource access, code flow
  'access.bearer': [
    'Resource access',
    'The content is asked for with a bearer token, and with nothing else.',
  ],
  'access.token': [
    'Resource access',
    'Where must-exchange-token is demanded, the secret itself is not shown.',
  ],
  'token.form': [
    'Code flow',
    'An exchange is a form with grant_type authorization_code, client_id and code.',
  ],
  'token.client': ['Code flow', 'client_id is the host of the server that asks.'],
  'token.answer': ['Code flow', 'The answer has access_token, token_type Bearer and expires_in.'],
  'token.error': ['Code flow', 'A wrong exchange is answered 400 with an error code of OAuth.'],
} as const;

export type Sentence = keyof typeof SENTENCES;

/** Records the checked rules and the broken ones. */
export class Draft {
  private readonly checked = new Set<Sentence>();
  private readonly violations: string[] = [];

  /** @returns whether the rule is kept */
  holds(sentence: Sentence, isTrue: boolean, seen: unknown = ''): boolean {
    this.checked.add(sentence);
    if (!isTrue) this.violations.push(`${sentence}: ${SENTENCES[sentence][1]} ${JSON.stringify(seen)}`);
    return isTrue;
  }

  /** Broken rules, with the observed values. */
  get broken(): readonly string[] {
    return this.violations;
  }

  /** Rules that were never checked. */
  get unchecked(): Sentence[] {
    return (Object.keys(SENTENCES) as Sentence[]).filter((sentence) => !this.checked.has(sentence));
  }
}
