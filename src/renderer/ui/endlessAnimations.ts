/** Milliseconds between the steps of an endless animation. */
const stepMs = 100

/**
 * Advances endless animations, such as spinners, ten times a second instead of with each frame. Without a graphics
 * card, one spinner took 1.6 of the 3.9 s of processor time of a window in which a model wrote 100 tokens. The model
 * needs this time.
 */
export function slowEndlessAnimations(): void {
  const running = new Set<Animation>()
  let timer: ReturnType<typeof setInterval> | undefined

  const step = (): void => {
    for (const animation of running) {
      const { target } = animation.effect as KeyframeEffect
      if (target?.isConnected && animation.playState === 'paused')
        animation.currentTime = Number(animation.currentTime) + stepMs
      else running.delete(animation)
    }
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  document.addEventListener('animationstart', ({ target }) => {
    if (!(target instanceof Element)) return
    for (const animation of target.getAnimations()) {
      if (animation.effect?.getComputedTiming().iterations !== Infinity) continue
      animation.pause()
      running.add(animation)
    }
    if (running.size > 0) timer ??= setInterval(step, stepMs)
  })
}
