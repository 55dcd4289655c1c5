import { useEndpoints } from '../../platform/endpointsStore.ts'
import { useSettings } from '../../platform/appState.ts'
import { Icon, IconButton } from '../../ui/index.ts'
import { Picture } from '../items/Picture.tsx'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { removePicture, useDraftAttachments } from './draftAttachments.ts'

/** The pictures of the message that is being written, with a word where its model is known not to see. */
export function DraftPictures({ conversationId }: { conversationId: string }) {
  const pictures = useDraftAttachments((state) => state.of[conversationId]?.pictures)
  const blind = useBlindModel()
  if (!pictures || pictures.length === 0) return null
  return (
    <div className="composer-pictures">
      {pictures.map((picture) => (
        <div key={picture.id} className="composer-picture">
          <Picture picture={picture} />
          <IconButton
            icon="close"
            label={`Remove ${picture.label}`}
            onClick={() => removePicture(conversationId, picture.id)}
          />
        </div>
      ))}
      {blind !== undefined && (
        <p className="composer-warning" role="status">
          <Icon name="warning" />
          {blind} cannot see pictures. Choose a model that does, or remove them.
        </p>
      )}
    </div>
  )
}

/** The name of the model to be asked, where it is known not to see. */
function useBlindModel(): string | undefined {
  const own = useChat((state) => state.info?.model)
  const settings = useSettings()
  const choice = own ?? settings?.model
  const model = useEndpoints((state) =>
    state.endpoints
      .find(({ endpoint }) => endpoint.id === choice?.endpointId)
      ?.models.find(({ id }) => id === choice?.model),
  )
  return model?.vision === false ? model.id : undefined
}
