/** Constructors of WebRTC, whose connections no content security policy of Chromium restricts. */
const constructors = [
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
  'RTCDataChannel',
  'RTCIceTransport',
  'RTCDtlsTransport',
  'RTCSctpTransport',
]

/** Permanently removes WebRTC from a global object. Import it first, so that no other script can keep a reference. */
function removeWebRtc(target: object): void {
  for (const name of constructors)
    Object.defineProperty(target, name, { value: undefined, configurable: false, writable: false })
}

removeWebRtc(globalThis)
