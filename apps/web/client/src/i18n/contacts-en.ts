/** Texts of the page of contacts. */
export const contacts = {
  removeOne: 'Remove the contact {name}',
  removeAsk:
    'What you share with each other stays. To become contacts again, one of you needs a new invitation.',
  empty: 'You have no contacts at other organisations yet.',
  address: 'Address',
  invite: 'Invite somebody at another organisation',
  whom: 'For whom',
  make: 'Make an invitation',
  asText: 'Or this, for servers that ask for an invitation.',
  handOver: 'Hand this over to them. It is not shown again.',
  open: '{whom}: open until {until}',
  takeBack: 'Take back',
  accept: 'Accept an invitation',
  received: 'Text of the invitation',
  accepted: 'The contact is there.',
  waiting: 'The other server has not answered yet. The contact appears when it does.',
};

/** Texts of requests for shares, on the same page. */
export const requests = {
  ask: 'Ask a contact for a file',
  whom: 'Contact',
  what: 'Address or number of the file',
  send: 'Ask',
  about: 'They decide. You get a share if they agree, and nothing else otherwise.',
  one: '{share} of {owner}, {since}:',
  removeOne: 'Remove the request for {share} to {owner}',
  state: {
    pending: 'being sent',
    retrying: 'the other server cannot be reached yet',
    delivered: 'sent',
    'not-sent': 'the other server takes no requests',
    refused: 'refused by the other server',
    dead: 'could not be delivered',
  },
};
