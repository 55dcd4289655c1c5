; Definitions
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_member_declaration name: (_) @name) @definition.enum_member
(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace
(delegate_declaration name: (_) @name) @definition.type
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(destructor_declaration name: (_) @name) @definition.method
(local_function_statement name: (_) @name) @definition.function
(property_declaration name: (_) @name) @definition.property
((field_declaration (modifier) @_const (variable_declaration (variable_declarator name: (_) @name))) @definition.constant (#eq? @_const "const"))
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.property

; Local names
(parameter name: (identifier) @local)
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(parameter type: (_) @local.type name: (identifier) @local)
(local_declaration_statement (variable_declaration type: (_) @local.type (variable_declarator name: (identifier) @local)))
(foreach_statement left: (identifier) @local)
(catch_declaration name: (identifier) @local)
[(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression) (block) (for_statement) (foreach_statement) (catch_clause)] @scope

; Imports
(using_directive !name [(identifier) (qualified_name)] @import.source @import.all)
(using_directive name: (identifier) @import.namespace [(qualified_name) (generic_name)] @import.source)

; References
(invocation_expression function: (identifier) @name) @reference.call
(invocation_expression function: (generic_name (identifier) @name)) @reference.call
(invocation_expression function: (member_access_expression expression: _ @receiver name: (identifier) @name)) @reference.call
(invocation_expression function: (member_access_expression expression: _ @receiver name: (generic_name (identifier) @name))) @reference.call
(object_creation_expression type: [(identifier) @name (generic_name (identifier) @name)]) @reference.call
; A base with a leading I is taken for an interface. callGraph.ts corrects this if the base is in the workspace.
((class_declaration (base_list [(identifier) @name (generic_name (identifier) @name)])) @reference.implements (#match? @name "^I[A-Z]"))
((record_declaration (base_list [(identifier) @name (generic_name (identifier) @name)])) @reference.implements (#match? @name "^I[A-Z]"))
(class_declaration (base_list [(identifier) @name (generic_name (identifier) @name)])) @reference.extends
(record_declaration (base_list [(identifier) @name (generic_name (identifier) @name)])) @reference.extends
(interface_declaration (base_list [(identifier) @name (generic_name (identifier) @name)])) @reference.extends
(struct_declaration (base_list [(identifier) @name (generic_name (identifier) @name)])) @reference.implements
(variable_declaration type: (identifier) @name @reference.usage)
(parameter type: (identifier) @name @reference.usage)
(argument (identifier) @name @reference.usage)
