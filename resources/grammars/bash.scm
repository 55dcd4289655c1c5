; Definitions
(function_definition name: (_) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)

; Imports
(command name: (command_name (word) @_source) . argument: (word) @import.source @import.all (#any-of? @_source "source" "."))

; References
((command name: (command_name (word) @name)) @reference.call (#not-any-of? @name "source" "."))
(simple_expansion (variable_name) @name @reference.usage)
(expansion (variable_name) @name @reference.usage)
